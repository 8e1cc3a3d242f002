DROP TABLE namings;
DELETE FROM schema_support WHERE version = 54;
