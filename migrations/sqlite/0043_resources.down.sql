ALTER TABLE clients DROP COLUMN impersonates;
ALTER TABLE clients DROP COLUMN exchange_for;
ALTER TABLE clients DROP COLUMN default_scopes;
ALTER TABLE grants DROP COLUMN resources;
ALTER TABLE authorize_codes DROP COLUMN resources;
DROP TABLE resources;
DELETE FROM schema_support WHERE version = 43;
