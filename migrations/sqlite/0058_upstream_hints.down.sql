DROP TABLE upstream_hints;
DELETE FROM schema_support WHERE version = 58;
