INSERT INTO schema_support (version, oldest_binary) VALUES (70, '0.1.0');

-- Since when positions are counted as they are: after a restore they are given anew, and
-- whoever was told of them before can't go on from there. 0: from the first event on.
ALTER TABLE event_positions ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
