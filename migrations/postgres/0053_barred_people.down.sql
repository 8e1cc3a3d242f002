ALTER TABLE scim_users DROP COLUMN barred;
DELETE FROM schema_support WHERE version = 53;
