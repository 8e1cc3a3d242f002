INSERT INTO schema_support (version, oldest_binary) VALUES (66, '0.1.0');

-- When a device asked last, and how long it has to wait between two times, in nanoseconds:
-- whichever server it asks, it is held to that.
ALTER TABLE device_requests ADD COLUMN polled_at INTEGER;
ALTER TABLE device_requests ADD COLUMN poll_every INTEGER NOT NULL DEFAULT 5000000000;
