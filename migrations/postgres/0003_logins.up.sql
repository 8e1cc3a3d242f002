INSERT INTO schema_support (version, oldest_binary) VALUES (3, '0.1.0');

CREATE TABLE login_sessions (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    token_hash   BYTEA NOT NULL,
    user_id      TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    auth_time    BIGINT NOT NULL,
    acr          TEXT COLLATE "C" NOT NULL,
    amr          TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    address      TEXT COLLATE "C" NOT NULL,
    user_agent   TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX login_sessions_token ON login_sessions (token_hash);
CREATE INDEX login_sessions_user ON login_sessions (user_id, auth_time);
CREATE INDEX login_sessions_expiry ON login_sessions (expires_at);

CREATE TABLE login_requests (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    client_id  TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    params     TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    decided_by TEXT COLLATE "C" NOT NULL,
    decided_at BIGINT,
    allowed    BOOLEAN NOT NULL
);

CREATE INDEX login_requests_client ON login_requests (client_id);
CREATE INDEX login_requests_expiry ON login_requests (expires_at);

CREATE TABLE consents (
    user_id    TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id  TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    scopes     TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, client_id)
);

CREATE INDEX consents_client ON consents (client_id);
