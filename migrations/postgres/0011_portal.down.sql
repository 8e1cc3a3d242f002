DROP TABLE user_group_members;
DROP TABLE user_groups;
DROP TABLE one_time_links;
DROP TABLE client_failures;
DROP TABLE client_members;
ALTER TABLE clients DROP COLUMN terms_uri;
ALTER TABLE clients DROP COLUMN policy_uri;
ALTER TABLE clients DROP COLUMN logo_uri;
DELETE FROM schema_support WHERE version = 11;
