INSERT INTO schema_support (version, oldest_binary) VALUES (3, '0.1.0');

CREATE TABLE login_sessions (
    id           TEXT NOT NULL PRIMARY KEY,
    token_hash   BLOB NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    auth_time    INTEGER NOT NULL,
    acr          TEXT NOT NULL,
    amr          TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    address      TEXT NOT NULL,
    user_agent   TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX login_sessions_token ON login_sessions (token_hash);
CREATE INDEX login_sessions_user ON login_sessions (user_id, auth_time);
CREATE INDEX login_sessions_expiry ON login_sessions (expires_at);

CREATE TABLE login_requests (
    id         TEXT NOT NULL PRIMARY KEY,
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    params     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    decided_at INTEGER,
    allowed    INTEGER NOT NULL CHECK (allowed IN (0, 1))
) STRICT;

CREATE INDEX login_requests_client ON login_requests (client_id);
CREATE INDEX login_requests_expiry ON login_requests (expires_at);

CREATE TABLE consents (
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scopes     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, client_id)
) STRICT;

CREATE INDEX consents_client ON consents (client_id);
