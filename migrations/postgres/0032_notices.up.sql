INSERT INTO schema_support (version, oldest_binary) VALUES (32, '0.1.0');

-- Servers remember clients and keys for a moment. Whoever changes them,
-- a server of before or an operator with psql too, tells all servers to forget.
CREATE FUNCTION portico_notice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('portico', TG_TABLE_NAME);
    RETURN NULL;
END $$;

CREATE TRIGGER clients_notice AFTER INSERT OR UPDATE OR DELETE ON clients
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
CREATE TRIGGER signing_keys_notice AFTER INSERT OR UPDATE OR DELETE ON signing_keys
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
CREATE TRIGGER other_signing_keys_notice AFTER INSERT OR UPDATE OR DELETE ON other_signing_keys
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
CREATE TRIGGER service_accounts_notice AFTER DELETE OR UPDATE OF status ON service_accounts
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
CREATE TRIGGER service_account_keys_notice AFTER DELETE OR UPDATE OF status ON service_account_keys
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();
