INSERT INTO schema_support (version, oldest_binary) VALUES (60, '0.1.0');

-- Servers remember for a moment that a token is good. What ends one, whoever does it,
-- tells all servers to ask again.
CREATE TRIGGER grants_notice AFTER UPDATE OF revoked_at OR DELETE ON grants
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
CREATE TRIGGER revocations_notice AFTER INSERT ON revocations
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
CREATE TRIGGER users_notice AFTER UPDATE OF disabled OR DELETE ON users
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
CREATE TRIGGER client_users_notice AFTER INSERT OR UPDATE OR DELETE ON client_users
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
CREATE TRIGGER client_groups_notice AFTER INSERT OR UPDATE OR DELETE ON client_groups
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
CREATE TRIGGER user_group_members_notice AFTER INSERT OR UPDATE OR DELETE ON user_group_members
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
