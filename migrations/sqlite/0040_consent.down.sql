ALTER TABLE consents DROP COLUMN left_out;
ALTER TABLE clients DROP COLUMN own_claims;
ALTER TABLE clients DROP COLUMN optional_scopes;
ALTER TABLE clients DROP COLUMN vouched;
DELETE FROM schema_support WHERE version = 40;
