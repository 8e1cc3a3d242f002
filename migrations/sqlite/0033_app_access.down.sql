DROP TABLE client_users;
DROP TABLE client_groups;
ALTER TABLE clients DROP COLUMN restricted;
DELETE FROM schema_support WHERE version = 33;
