DROP TABLE client_logos;
DELETE FROM schema_support WHERE version = 15;
