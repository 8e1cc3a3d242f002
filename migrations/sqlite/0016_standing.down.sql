DROP TABLE server_settings;
ALTER TABLE login_sessions DROP COLUMN met_request;
ALTER TABLE service_account_keys DROP COLUMN tokens_from;
ALTER TABLE service_accounts DROP COLUMN tokens_from;
ALTER TABLE clients DROP COLUMN tokens_from;
DELETE FROM schema_support WHERE version = 16;
