INSERT INTO schema_support (version, oldest_binary) VALUES (24, '0.1.0');

-- Each algorithm has signing keys of its own, counted by themselves.
CREATE TABLE signing_keys_by_algorithm (
    algorithm   TEXT NOT NULL DEFAULT 'RS256',
    generation  INTEGER NOT NULL,
    kid         TEXT NOT NULL,
    sealed      BLOB NOT NULL,
    public      BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    active_from INTEGER NOT NULL,
    PRIMARY KEY (algorithm, generation)
) STRICT;
INSERT INTO signing_keys_by_algorithm (algorithm, generation, kid, sealed, public, created_at, active_from)
SELECT 'RS256', generation, kid, sealed, public, created_at, active_from FROM signing_keys;
DROP TABLE signing_keys;
ALTER TABLE signing_keys_by_algorithm RENAME TO signing_keys;
CREATE UNIQUE INDEX signing_keys_kid ON signing_keys (kid);

-- What the tokens of a client are signed with.
ALTER TABLE clients ADD COLUMN id_token_alg TEXT NOT NULL DEFAULT 'RS256';
ALTER TABLE clients ADD COLUMN access_token_alg TEXT NOT NULL DEFAULT 'RS256';
