INSERT INTO schema_support (version, oldest_binary) VALUES (68, '0.1.0');

-- How many bytes came for an upload, or are coming, where its project may store only so many.
ALTER TABLE uploads ADD COLUMN held BIGINT NOT NULL DEFAULT 0;
CREATE INDEX uploads_held ON uploads (object_id) WHERE held > 0;
