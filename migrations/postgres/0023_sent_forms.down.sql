DROP TABLE sent_forms;
DELETE FROM schema_support WHERE version = 23;
