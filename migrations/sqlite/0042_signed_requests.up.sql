DELETE FROM schema_support WHERE version = 42;
INSERT INTO schema_support (version, oldest_binary) VALUES (42, '0.1.0');

-- Clients whose authorize requests count only when they signed them.
ALTER TABLE clients ADD COLUMN require_signed INTEGER NOT NULL DEFAULT 0 CHECK (require_signed IN (0, 1));
