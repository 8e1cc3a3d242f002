DROP TABLE policy;
ALTER TABLE client_secrets DROP COLUMN ends_at;
ALTER TABLE client_secrets DROP COLUMN label;
ALTER TABLE clients DROP COLUMN second_factor;
ALTER TABLE clients DROP COLUMN initiate_login_uri;
ALTER TABLE clients DROP COLUMN home_uri;
DELETE FROM schema_support WHERE version = 46;
