DROP TABLE upstream_rechecks;
DELETE FROM schema_support WHERE version = 59;
