DROP TABLE assertion_ids;
DROP TABLE service_account_keys;
DROP TABLE service_accounts;
DELETE FROM schema_support WHERE version = 6;
