INSERT INTO schema_support (version, oldest_binary) VALUES (22, '0.1.0');

-- What the tokens of a client are like: ID tokens without claims about the person
-- where user info has them, and access tokens of typ JWT.
ALTER TABLE clients ADD COLUMN lean_id_token INTEGER NOT NULL DEFAULT 0 CHECK (lean_id_token IN (0, 1));
ALTER TABLE clients ADD COLUMN plain_jwt INTEGER NOT NULL DEFAULT 0 CHECK (plain_jwt IN (0, 1));
