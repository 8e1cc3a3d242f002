INSERT INTO schema_support (version, oldest_binary) VALUES (27, '0.1.0');

-- How a client proves itself by what it signs, and with which keys.
ALTER TABLE clients ADD COLUMN auth_method TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN jwks TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN keys_uri TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN assertion_alg TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN legacy_audience BOOLEAN NOT NULL DEFAULT FALSE;
