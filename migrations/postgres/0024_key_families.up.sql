INSERT INTO schema_support (version, oldest_binary) VALUES (24, '0.1.0');

-- Each algorithm has signing keys of its own, counted by themselves. Those of
-- RS256 stay where they are: binaries of before read no others.
CREATE TABLE other_signing_keys (
    algorithm   TEXT COLLATE "C" NOT NULL,
    generation  BIGINT NOT NULL,
    kid         TEXT COLLATE "C" NOT NULL,
    sealed      BYTEA NOT NULL,
    public      BYTEA NOT NULL,
    created_at  BIGINT NOT NULL,
    active_from BIGINT NOT NULL,
    PRIMARY KEY (algorithm, generation)
);

CREATE UNIQUE INDEX other_signing_keys_kid ON other_signing_keys (kid);

-- What the tokens of a client are signed with.
ALTER TABLE clients ADD COLUMN id_token_alg TEXT COLLATE "C" NOT NULL DEFAULT 'RS256';
ALTER TABLE clients ADD COLUMN access_token_alg TEXT COLLATE "C" NOT NULL DEFAULT 'RS256';
