INSERT INTO schema_support (version, oldest_binary) VALUES (32, '0.1.0');

-- PostgreSQL tells servers of changes from this step on. SQLite tells nobody:
-- whoever remembers looks again each half second.
