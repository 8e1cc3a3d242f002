ALTER TABLE device_requests DROP COLUMN poll_every;
ALTER TABLE device_requests DROP COLUMN polled_at;
DELETE FROM schema_support WHERE version = 66;
