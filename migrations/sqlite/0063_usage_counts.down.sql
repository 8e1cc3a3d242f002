DROP TABLE usage_counts;
DELETE FROM schema_support WHERE version = 63;
