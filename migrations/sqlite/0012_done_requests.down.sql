DROP TABLE done_requests;
DELETE FROM schema_support WHERE version = 12;
