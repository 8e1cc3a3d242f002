INSERT INTO schema_support (version, oldest_binary) VALUES (44, '0.1.0');

-- Clients that may ask for people from devices without a browser, and what they ask
-- (RFC 8628). A request that was allowed is a code with the same hash.
ALTER TABLE clients ADD COLUMN devices BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE device_requests (
    hash       BYTEA NOT NULL PRIMARY KEY,
    user_code  BYTEA NOT NULL,
    client_id  TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    params     TEXT COLLATE "C" NOT NULL,
    address    TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    denied_at  BIGINT
);

CREATE UNIQUE INDEX device_requests_user_code ON device_requests (user_code);
CREATE INDEX device_requests_client ON device_requests (client_id);
CREATE INDEX device_requests_expiry ON device_requests (expires_at);
