ALTER TABLE grants DROP COLUMN device;
ALTER TABLE authorize_codes DROP COLUMN device;
DELETE FROM schema_support WHERE version = 57;
