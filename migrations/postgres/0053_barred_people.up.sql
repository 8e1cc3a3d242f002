INSERT INTO schema_support (version, oldest_binary) VALUES (53, '0.1.0');

-- barred: an administrator of the server has disabled whom their company may want to sign in.
ALTER TABLE scim_users ADD COLUMN barred BOOLEAN NOT NULL DEFAULT FALSE;

UPDATE scim_users SET barred = TRUE WHERE active AND user_id IN (SELECT id FROM users WHERE disabled);
