ALTER TABLE grants DROP COLUMN ends_at;
DELETE FROM schema_support WHERE version = 21;
