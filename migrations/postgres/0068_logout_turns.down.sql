DROP INDEX logout_deliveries_turn;
DELETE FROM schema_support WHERE version = 68;
