INSERT INTO schema_support (version, oldest_binary) VALUES (35, '0.1.0');

-- Until when whoever sends a mail has it to themselves. NULL: nobody sends it.
ALTER TABLE mails ADD COLUMN sending_until BIGINT;
