INSERT INTO schema_support (version, oldest_binary) VALUES (55, '0.1.0');

-- What a key is for, and when it stops working: whoever makes it says so.
ALTER TABLE service_account_keys ADD COLUMN label TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE service_account_keys ADD COLUMN ends_at BIGINT;
