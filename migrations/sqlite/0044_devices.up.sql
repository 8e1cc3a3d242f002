INSERT INTO schema_support (version, oldest_binary) VALUES (44, '0.1.0');

-- Clients that may ask for people from devices without a browser, and what they ask
-- (RFC 8628). A request that was allowed is a code with the same hash.
ALTER TABLE clients ADD COLUMN devices INTEGER NOT NULL DEFAULT 0 CHECK (devices IN (0, 1));

CREATE TABLE device_requests (
    hash       BLOB NOT NULL PRIMARY KEY,
    user_code  BLOB NOT NULL,
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    params     TEXT NOT NULL,
    address    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    denied_at  INTEGER
) STRICT;

CREATE UNIQUE INDEX device_requests_user_code ON device_requests (user_code);
CREATE INDEX device_requests_client ON device_requests (client_id);
CREATE INDEX device_requests_expiry ON device_requests (expires_at);
