ALTER TABLE clients DROP COLUMN plain_jwt;
ALTER TABLE clients DROP COLUMN lean_id_token;
DELETE FROM schema_support WHERE version = 22;
