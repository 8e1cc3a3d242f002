INSERT INTO schema_support (version, oldest_binary) VALUES (68, '0.1.0');

-- What is the next of each client, however much waits. The one that was there knows no clients, and PostgreSQL would
-- take it where it has not heard yet of how much that is.
DROP INDEX logout_deliveries_due;
CREATE INDEX logout_deliveries_turn ON logout_deliveries (client_id, next_at, id) WHERE next_at IS NOT NULL;
