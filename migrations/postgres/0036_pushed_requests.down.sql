ALTER TABLE clients DROP COLUMN require_pushed;
DELETE FROM schema_support WHERE version = 36;
