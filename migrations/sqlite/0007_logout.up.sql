INSERT INTO schema_support (version, oldest_binary) VALUES (7, '0.1.0');

-- Which clients were told of a sign-in, and want to be told of its end.
CREATE TABLE session_clients (
    session_id TEXT NOT NULL REFERENCES login_sessions (id) ON DELETE CASCADE,
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    PRIMARY KEY (session_id, client_id)
) STRICT;

CREATE INDEX session_clients_client ON session_clients (client_id);

-- What clients are told of ended sessions. The session is gone by then, and the
-- user may be; next_at is NULL when there is nothing left to try.
CREATE TABLE logout_deliveries (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id    TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id      TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    attempts     INTEGER NOT NULL,
    last_at      INTEGER,
    last_status  INTEGER NOT NULL,
    failure      TEXT NOT NULL,
    next_at      INTEGER,
    delivered_at INTEGER
) STRICT;

CREATE INDEX logout_deliveries_client ON logout_deliveries (client_id, id);
CREATE INDEX logout_deliveries_due ON logout_deliveries (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX logout_deliveries_age ON logout_deliveries (created_at);
