DROP INDEX users_search_key;
DROP INDEX user_groups_search_key;
DROP INDEX clients_search_key;
ALTER TABLE users DROP COLUMN search_key;
ALTER TABLE user_groups DROP COLUMN search_key;
ALTER TABLE clients DROP COLUMN search_key;
DELETE FROM schema_support WHERE version = 31;
