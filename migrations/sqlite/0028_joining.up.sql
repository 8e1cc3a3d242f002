INSERT INTO schema_support (version, oldest_binary) VALUES (28, '0.1.0');

-- The address that a link is about: that it was mailed to, or that is to be.
ALTER TABLE one_time_links ADD COLUMN email TEXT NOT NULL DEFAULT '';

-- When an account ends that nobody has taken up; NULL: never.
ALTER TABLE users ADD COLUMN ends_at INTEGER;

CREATE INDEX users_ends_at ON users (ends_at) WHERE ends_at IS NOT NULL;
