INSERT INTO schema_support (version, oldest_binary) VALUES (37, '0.1.0');

-- Keys that people's devices keep for this server (Web Authentication). What the
-- device calls the key is the credential; counter is what it said last.
CREATE TABLE passkeys (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id      TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    credential   BYTEA NOT NULL,
    public_key   BYTEA NOT NULL,
    counter      BIGINT NOT NULL,
    label        TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT
);

CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential);
CREATE INDEX passkeys_by_user ON passkeys (user_id);
