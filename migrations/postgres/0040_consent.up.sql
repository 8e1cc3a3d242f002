INSERT INTO schema_support (version, oldest_binary) VALUES (40, '0.1.0');

-- Whether the operator vouches for an app, what people may leave out of what it
-- asks for, and what it is told in claims of its own (JSON; empty: nothing).
ALTER TABLE clients ADD COLUMN vouched BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE clients ADD COLUMN optional_scopes TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE clients ADD COLUMN own_claims TEXT COLLATE "C" NOT NULL DEFAULT '';

-- What a person has left out of it.
ALTER TABLE consents ADD COLUMN left_out TEXT COLLATE "C" NOT NULL DEFAULT '[]';
