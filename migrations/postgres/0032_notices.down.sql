DROP TRIGGER service_account_keys_notice ON service_account_keys;
DROP TRIGGER service_accounts_notice ON service_accounts;
DROP TRIGGER other_signing_keys_notice ON other_signing_keys;
DROP TRIGGER signing_keys_notice ON signing_keys;
DROP TRIGGER clients_notice ON clients;
DROP FUNCTION portico_notice();
DELETE FROM schema_support WHERE version = 32;
