ALTER TABLE clients DROP COLUMN legacy_audience;
ALTER TABLE clients DROP COLUMN assertion_alg;
ALTER TABLE clients DROP COLUMN keys_uri;
ALTER TABLE clients DROP COLUMN jwks;
ALTER TABLE clients DROP COLUMN auth_method;
DELETE FROM schema_support WHERE version = 27;
