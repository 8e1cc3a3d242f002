INSERT INTO schema_support (version, oldest_binary) VALUES (21, '0.1.0');

-- When the refresh tokens of a grant end whatever is done with them. NULL: never,
-- as of every grant made before.
ALTER TABLE grants ADD COLUMN ends_at BIGINT;
