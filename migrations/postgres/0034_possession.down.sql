ALTER TABLE clients DROP COLUMN certificate_name;
ALTER TABLE clients DROP COLUMN certificate_field;
ALTER TABLE clients DROP COLUMN certificate_needed;
ALTER TABLE clients DROP COLUMN proof_needed;
ALTER TABLE grants DROP COLUMN certificate;
ALTER TABLE grants DROP COLUMN proof_key;
ALTER TABLE authorize_codes DROP COLUMN proof_key;
DELETE FROM schema_support WHERE version = 34;
