DROP TABLE revocations;
DROP TABLE authorize_codes;
DROP TABLE grants;
DELETE FROM schema_support WHERE version = 4;
