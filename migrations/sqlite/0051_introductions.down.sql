ALTER TABLE clients DROP COLUMN introduces_to;
DELETE FROM schema_support WHERE version = 51;
