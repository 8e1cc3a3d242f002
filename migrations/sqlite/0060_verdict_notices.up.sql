INSERT INTO schema_support (version, oldest_binary) VALUES (60, '0.1.0');

-- PostgreSQL tells servers of what ends a token from this step on. SQLite tells nobody,
-- and servers on it remember nothing of the kind.
