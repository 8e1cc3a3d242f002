DROP TABLE passkeys;
DELETE FROM recovery_codes WHERE user_id NOT IN (SELECT user_id FROM authenticators);
UPDATE users SET two_factor = FALSE WHERE id NOT IN (SELECT user_id FROM authenticators);
DELETE FROM schema_support WHERE version = 37;
