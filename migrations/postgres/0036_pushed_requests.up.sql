INSERT INTO schema_support (version, oldest_binary) VALUES (36, '0.1.0');

-- Clients whose authorize requests count only when they pushed them.
ALTER TABLE clients ADD COLUMN require_pushed BOOLEAN NOT NULL DEFAULT FALSE;
