DROP TABLE recovery_codes;
DROP TABLE authenticators;
UPDATE users SET two_factor = FALSE;
DELETE FROM schema_support WHERE version = 29;
