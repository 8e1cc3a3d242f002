INSERT INTO schema_support (version, oldest_binary) VALUES (69, '0.1.0');

-- When somebody came back from an upstream that tells no time, to prove anew who they are.
ALTER TABLE login_sessions ADD COLUMN came_at INTEGER;
