DROP TABLE resource_ends;
DELETE FROM schema_support WHERE version = 61;
