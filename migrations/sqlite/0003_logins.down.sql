DROP TABLE consents;
DROP TABLE login_requests;
DROP TABLE login_sessions;
DELETE FROM schema_support WHERE version = 3;
