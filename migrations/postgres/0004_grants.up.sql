INSERT INTO schema_support (version, oldest_binary) VALUES (4, '0.1.0');

-- The token families. A session ends before its grants do, so session_id is no
-- foreign key.
CREATE TABLE grants (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    client_id  TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    session_id TEXT COLLATE "C" NOT NULL,
    scopes     TEXT COLLATE "C" NOT NULL,
    nonce      TEXT COLLATE "C" NOT NULL,
    claims     TEXT COLLATE "C" NOT NULL,
    auth_time  BIGINT NOT NULL,
    acr        TEXT COLLATE "C" NOT NULL,
    amr        TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    rotated_at BIGINT,
    expires_at BIGINT,
    revoked_at BIGINT
);

CREATE INDEX grants_user ON grants (user_id, created_at);
CREATE INDEX grants_client ON grants (client_id);
CREATE INDEX grants_end ON grants (coalesce(expires_at, created_at));
CREATE INDEX grants_revoked ON grants (revoked_at) WHERE revoked_at IS NOT NULL;

-- Authorization codes, each with all that its redemption needs. revoked_at is
-- set when what would have come of the code was withdrawn before it came.
CREATE TABLE authorize_codes (
    hash              BYTEA NOT NULL PRIMARY KEY,
    grant_id          TEXT COLLATE "C" NOT NULL,
    client_id         TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id           TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    session_id        TEXT COLLATE "C" NOT NULL,
    redirect_uri      TEXT COLLATE "C" NOT NULL,
    scopes            TEXT COLLATE "C" NOT NULL,
    narrowed          BOOLEAN NOT NULL,
    nonce             TEXT COLLATE "C" NOT NULL,
    challenge         TEXT COLLATE "C" NOT NULL,
    claims            TEXT COLLATE "C" NOT NULL,
    auth_time         BIGINT NOT NULL,
    acr               TEXT COLLATE "C" NOT NULL,
    amr               TEXT COLLATE "C" NOT NULL,
    issued_at         BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    spent_at          BIGINT,
    revoked_at        BIGINT,
    verifier_failures BIGINT NOT NULL
);

CREATE INDEX authorize_codes_user ON authorize_codes (user_id);
CREATE INDEX authorize_codes_client ON authorize_codes (client_id);
CREATE INDEX authorize_codes_expiry ON authorize_codes (expires_at);

-- Access tokens that were revoked, until they would have expired anyway.
CREATE TABLE revocations (
    jti        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

CREATE INDEX revocations_expiry ON revocations (expires_at);
