DROP INDEX logout_deliveries_turn;
CREATE INDEX logout_deliveries_due ON logout_deliveries (next_at) WHERE next_at IS NOT NULL;
DELETE FROM schema_support WHERE version = 68;
