INSERT INTO schema_support (version, oldest_binary) VALUES (48, '0.1.0');

-- How a client came that nobody here registered; empty: somebody did.
ALTER TABLE clients ADD COLUMN origin TEXT NOT NULL DEFAULT '';

-- Clients that registered themselves (RFC 7591): what they look after themselves by,
-- by which token they came, and from where.
CREATE TABLE enrolments (
    client_id  TEXT NOT NULL PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE,
    token_hash BLOB NOT NULL,
    token_id   TEXT NOT NULL,
    address    TEXT NOT NULL,
    network    TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX enrolments_created ON enrolments (created_at);

CREATE TABLE initial_tokens (
    id         TEXT NOT NULL PRIMARY KEY,
    label      TEXT NOT NULL,
    hash       BLOB NOT NULL,
    uses_left  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    ends_at    INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX initial_tokens_hash ON initial_tokens (hash);
