INSERT INTO schema_support (version, oldest_binary) VALUES (7, '0.1.0');

-- Which clients were told of a sign-in, and want to be told of its end.
CREATE TABLE session_clients (
    session_id TEXT COLLATE "C" NOT NULL REFERENCES login_sessions (id) ON DELETE CASCADE,
    client_id  TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    PRIMARY KEY (session_id, client_id)
);

CREATE INDEX session_clients_client ON session_clients (client_id);

-- What clients are told of ended sessions. The session is gone by then, and the
-- user may be; next_at is NULL when there is nothing left to try.
CREATE TABLE logout_deliveries (
    id           BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client_id    TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id      TEXT COLLATE "C" NOT NULL,
    session_id   TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    attempts     BIGINT NOT NULL,
    last_at      BIGINT,
    last_status  BIGINT NOT NULL,
    failure      TEXT COLLATE "C" NOT NULL,
    next_at      BIGINT,
    delivered_at BIGINT
);

CREATE INDEX logout_deliveries_client ON logout_deliveries (client_id, id);
CREATE INDEX logout_deliveries_due ON logout_deliveries (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX logout_deliveries_age ON logout_deliveries (created_at);
