DROP TABLE brand;
DELETE FROM schema_support WHERE version = 39;
