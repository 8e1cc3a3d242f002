DROP TABLE device_requests;
ALTER TABLE clients DROP COLUMN devices;
DELETE FROM schema_support WHERE version = 44;
