DROP INDEX uploads_held;
ALTER TABLE uploads DROP COLUMN held;
DELETE FROM schema_support WHERE version = 68;
