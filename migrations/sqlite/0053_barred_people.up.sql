INSERT INTO schema_support (version, oldest_binary) VALUES (53, '0.1.0');

-- barred: an administrator of the server has disabled whom their company may want to sign in.
ALTER TABLE scim_users ADD COLUMN barred INTEGER NOT NULL DEFAULT 0 CHECK (barred IN (0, 1));

UPDATE scim_users SET barred = 1 WHERE active AND user_id IN (SELECT id FROM users WHERE disabled);
