DROP TABLE client_secrets;
DROP TABLE clients;
DELETE FROM schema_support WHERE version = 2;
