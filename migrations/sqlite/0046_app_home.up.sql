INSERT INTO schema_support (version, oldest_binary) VALUES (46, '0.1.0');

-- Where people open an app, and whether it demands a second factor of them.
ALTER TABLE clients ADD COLUMN home_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN initiate_login_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN second_factor INTEGER NOT NULL DEFAULT 0 CHECK (second_factor IN (0, 1));

-- What a secret is for, and when it ends; NULL: never.
ALTER TABLE client_secrets ADD COLUMN label TEXT NOT NULL DEFAULT '';
ALTER TABLE client_secrets ADD COLUMN ends_at INTEGER;

-- What administrators decide for the whole server.
CREATE TABLE policy (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
