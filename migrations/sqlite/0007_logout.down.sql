DROP TABLE logout_deliveries;
DROP TABLE session_clients;
DELETE FROM schema_support WHERE version = 7;
