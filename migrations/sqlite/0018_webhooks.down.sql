DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
DELETE FROM schema_support WHERE version = 18;
