DROP TABLE leases;
DROP TABLE audit_events;
DROP TABLE signing_keys;
DELETE FROM schema_support WHERE version = 5;
