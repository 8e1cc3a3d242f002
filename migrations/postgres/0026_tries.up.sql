INSERT INTO schema_support (version, oldest_binary) VALUES (26, '0.1.0');

-- Tries to sign in, of whoever the key stands for: when all of them will be
-- forgiven.
CREATE TABLE tries (
    key         BYTEA NOT NULL PRIMARY KEY,
    forgiven_at BIGINT NOT NULL
);

CREATE INDEX tries_forgiven ON tries (forgiven_at);
