DROP TABLE imports;
DELETE FROM schema_support WHERE version = 38;
