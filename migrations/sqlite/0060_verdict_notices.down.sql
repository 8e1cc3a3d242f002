DELETE FROM schema_support WHERE version = 60;
