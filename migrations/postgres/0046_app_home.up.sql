INSERT INTO schema_support (version, oldest_binary) VALUES (46, '0.1.0');

-- Where people open an app, and whether it demands a second factor of them.
ALTER TABLE clients ADD COLUMN home_uri TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN initiate_login_uri TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN second_factor BOOLEAN NOT NULL DEFAULT FALSE;

-- What a secret is for, and when it ends; NULL: never.
ALTER TABLE client_secrets ADD COLUMN label TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE client_secrets ADD COLUMN ends_at BIGINT;

-- What administrators decide for the whole server.
CREATE TABLE policy (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);
