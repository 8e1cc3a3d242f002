ALTER TABLE event_positions DROP COLUMN epoch;
DELETE FROM schema_support WHERE version = 70;
