INSERT INTO schema_support (version, oldest_binary) VALUES (27, '0.1.0');

-- How a client proves itself by what it signs, and with which keys.
ALTER TABLE clients ADD COLUMN auth_method TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN jwks TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN keys_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN assertion_alg TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN legacy_audience INTEGER NOT NULL DEFAULT 0 CHECK (legacy_audience IN (0, 1));
