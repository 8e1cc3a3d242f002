INSERT INTO schema_support (version, oldest_binary) VALUES (38, '0.1.0');

-- Files of people that wait until who sent them has looked through them.
CREATE TABLE imports (
    id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    file    BYTEA NOT NULL,
    at      BIGINT NOT NULL
);

CREATE INDEX imports_user ON imports (user_id);
CREATE INDEX imports_at ON imports (at);
