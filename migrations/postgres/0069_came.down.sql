ALTER TABLE login_sessions DROP COLUMN came_at;
DELETE FROM schema_support WHERE version = 69;
