DROP TABLE tries;
DELETE FROM schema_support WHERE version = 26;
