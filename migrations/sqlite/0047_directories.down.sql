DROP TABLE directories;
DELETE FROM schema_support WHERE version = 47;
