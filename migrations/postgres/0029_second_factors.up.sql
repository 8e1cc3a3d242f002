INSERT INTO schema_support (version, oldest_binary) VALUES (29, '0.1.0');

-- Apps that show a person codes (RFC 6238), one a person. The secret is sealed;
-- last_step is the step of the newest code that was taken.
CREATE TABLE authenticators (
    user_id    TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    secret     BYTEA NOT NULL,
    last_step  BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Codes for whoever lost their authenticator, each good once: hashes.
CREATE TABLE recovery_codes (
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash    BYTEA NOT NULL,
    PRIMARY KEY (user_id, hash)
);
