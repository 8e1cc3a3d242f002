DROP TABLE events;
DELETE FROM schema_support WHERE version = 10;
