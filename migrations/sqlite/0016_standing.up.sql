INSERT INTO schema_support (version, oldest_binary) VALUES (16, '0.1.0');

-- The second from which on tokens count: those from before the client, account
-- or key was last enabled again stay dead.
ALTER TABLE clients ADD COLUMN tokens_from INTEGER NOT NULL DEFAULT 0;
ALTER TABLE service_accounts ADD COLUMN tokens_from INTEGER NOT NULL DEFAULT 0;
ALTER TABLE service_account_keys ADD COLUMN tokens_from INTEGER NOT NULL DEFAULT 0;

-- The parked request that the person signed in for last.
ALTER TABLE login_sessions ADD COLUMN met_request TEXT NOT NULL DEFAULT '';

-- What the last server that started was set to, for the command line.
CREATE TABLE server_settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
