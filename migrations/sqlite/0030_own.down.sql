DROP INDEX versions_creator;
DROP TABLE user_portraits;
ALTER TABLE users DROP COLUMN portrait;
DELETE FROM schema_support WHERE version = 30;
