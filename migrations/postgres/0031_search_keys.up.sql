INSERT INTO schema_support (version, oldest_binary) VALUES (31, '0.1.0');

-- What lists are in the order of, and found by: names without case and accents, made
-- by the program. It gives those to rows that have none yet.
ALTER TABLE users ADD COLUMN search_key TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE user_groups ADD COLUMN search_key TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN search_key TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX users_search_key ON users (search_key, id);
CREATE INDEX user_groups_search_key ON user_groups (search_key, id);
CREATE INDEX clients_search_key ON clients (search_key, id);
