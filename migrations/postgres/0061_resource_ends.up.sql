INSERT INTO schema_support (version, oldest_binary) VALUES (61, '0.1.0');

-- Until when the address of a resource was that of one that was removed, or has another by
-- now. It stays: what was issued for that one never counts for a later one.
CREATE TABLE resource_ends (
    match_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    ended_at  BIGINT NOT NULL
);
