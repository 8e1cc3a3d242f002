ALTER TABLE mails DROP COLUMN sending_until;
DELETE FROM schema_support WHERE version = 35;
