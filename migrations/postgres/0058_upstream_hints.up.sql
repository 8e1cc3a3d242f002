INSERT INTO schema_support (version, oldest_binary) VALUES (58, '0.1.0');

-- With what an upstream is told which sign-in of its own is to end: sealed. Beside the
-- session, which is read with every page.
CREATE TABLE upstream_hints (
    session_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES login_sessions (id) ON DELETE CASCADE,
    hint       BYTEA NOT NULL
);
