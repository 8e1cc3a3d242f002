ALTER TABLE clients DROP COLUMN access_token_alg;
ALTER TABLE clients DROP COLUMN id_token_alg;
DROP TABLE other_signing_keys;
DELETE FROM schema_support WHERE version = 24;
