INSERT INTO schema_support (version, oldest_binary) VALUES (51, '0.1.0');

-- Other servers to which it may introduce people, as JSON: issuer, client id and scopes.
ALTER TABLE clients ADD COLUMN introduces_to TEXT COLLATE "C" NOT NULL DEFAULT '[]';
