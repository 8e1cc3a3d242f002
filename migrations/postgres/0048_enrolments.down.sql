DROP TABLE initial_tokens;
DROP TABLE enrolments;
ALTER TABLE clients DROP COLUMN origin;
DELETE FROM schema_support WHERE version = 48;
