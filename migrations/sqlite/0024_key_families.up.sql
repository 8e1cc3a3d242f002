INSERT INTO schema_support (version, oldest_binary) VALUES (24, '0.1.0');

-- Each algorithm has signing keys of its own, counted by themselves. Those of
-- RS256 stay where they are: binaries of before read no others.
CREATE TABLE other_signing_keys (
    algorithm   TEXT NOT NULL,
    generation  INTEGER NOT NULL,
    kid         TEXT NOT NULL,
    sealed      BLOB NOT NULL,
    public      BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    active_from INTEGER NOT NULL,
    PRIMARY KEY (algorithm, generation)
) STRICT;

CREATE UNIQUE INDEX other_signing_keys_kid ON other_signing_keys (kid);

-- What the tokens of a client are signed with.
ALTER TABLE clients ADD COLUMN id_token_alg TEXT NOT NULL DEFAULT 'RS256';
ALTER TABLE clients ADD COLUMN access_token_alg TEXT NOT NULL DEFAULT 'RS256';
