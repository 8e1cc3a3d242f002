ALTER TABLE service_account_keys DROP COLUMN ends_at;
ALTER TABLE service_account_keys DROP COLUMN label;
DELETE FROM schema_support WHERE version = 55;
