INSERT INTO schema_support (version, oldest_binary) VALUES (48, '0.1.0');

-- How a client came that nobody here registered; empty: somebody did.
ALTER TABLE clients ADD COLUMN origin TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Clients that registered themselves (RFC 7591): what they look after themselves by,
-- by which token they came, and from where.
CREATE TABLE enrolments (
    client_id  TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE,
    token_hash BYTEA NOT NULL,
    token_id   TEXT COLLATE "C" NOT NULL,
    address    TEXT COLLATE "C" NOT NULL,
    network    TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX enrolments_created ON enrolments (created_at);

CREATE TABLE initial_tokens (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    label      TEXT COLLATE "C" NOT NULL,
    hash       BYTEA NOT NULL,
    uses_left  BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL
);

CREATE UNIQUE INDEX initial_tokens_hash ON initial_tokens (hash);
