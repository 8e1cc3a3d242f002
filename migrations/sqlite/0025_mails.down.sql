DROP TABLE mails;
DELETE FROM schema_support WHERE version = 25;
