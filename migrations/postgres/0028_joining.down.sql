DROP INDEX users_ends_at;
ALTER TABLE users DROP COLUMN ends_at;
ALTER TABLE one_time_links DROP COLUMN email;
DELETE FROM schema_support WHERE version = 28;
