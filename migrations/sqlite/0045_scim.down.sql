DROP TABLE scim_calls;
DROP TABLE scim_groups;
DROP TABLE scim_users;
DROP TABLE scim_tokens;
DROP TABLE scim_connections;
DELETE FROM schema_support WHERE version = 45;
