INSERT INTO schema_support (version, oldest_binary) VALUES (4, '0.1.0');

-- The token families. A session ends before its grants do, so session_id is no
-- foreign key.
CREATE TABLE grants (
    id         TEXT NOT NULL PRIMARY KEY,
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    nonce      TEXT NOT NULL,
    claims     TEXT NOT NULL,
    auth_time  INTEGER NOT NULL,
    acr        TEXT NOT NULL,
    amr        TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    rotated_at INTEGER,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;

CREATE INDEX grants_user ON grants (user_id, created_at);
CREATE INDEX grants_client ON grants (client_id);
CREATE INDEX grants_end ON grants (coalesce(expires_at, created_at));
CREATE INDEX grants_revoked ON grants (revoked_at) WHERE revoked_at IS NOT NULL;

-- Authorization codes, each with all that its redemption needs. revoked_at is
-- set when what would have come of the code was withdrawn before it came.
CREATE TABLE authorize_codes (
    hash              BLOB NOT NULL PRIMARY KEY,
    grant_id          TEXT NOT NULL,
    client_id         TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id           TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    session_id        TEXT NOT NULL,
    redirect_uri      TEXT NOT NULL,
    scopes            TEXT NOT NULL,
    narrowed          INTEGER NOT NULL CHECK (narrowed IN (0, 1)),
    nonce             TEXT NOT NULL,
    challenge         TEXT NOT NULL,
    claims            TEXT NOT NULL,
    auth_time         INTEGER NOT NULL,
    acr               TEXT NOT NULL,
    amr               TEXT NOT NULL,
    issued_at         INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL,
    spent_at          INTEGER,
    revoked_at        INTEGER,
    verifier_failures INTEGER NOT NULL
) STRICT;

CREATE INDEX authorize_codes_user ON authorize_codes (user_id);
CREATE INDEX authorize_codes_client ON authorize_codes (client_id);
CREATE INDEX authorize_codes_expiry ON authorize_codes (expires_at);

-- Access tokens that were revoked, until they would have expired anyway.
CREATE TABLE revocations (
    jti        TEXT NOT NULL PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX revocations_expiry ON revocations (expires_at);
