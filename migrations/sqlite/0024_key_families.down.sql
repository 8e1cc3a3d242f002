ALTER TABLE clients DROP COLUMN access_token_alg;
ALTER TABLE clients DROP COLUMN id_token_alg;
CREATE TABLE signing_keys_of_rs256 (
    generation  INTEGER NOT NULL PRIMARY KEY,
    kid         TEXT NOT NULL,
    sealed      BLOB NOT NULL,
    public      BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    active_from INTEGER NOT NULL
) STRICT;
INSERT INTO signing_keys_of_rs256 (generation, kid, sealed, public, created_at, active_from)
SELECT generation, kid, sealed, public, created_at, active_from FROM signing_keys WHERE algorithm = 'RS256';
DROP TABLE signing_keys;
ALTER TABLE signing_keys_of_rs256 RENAME TO signing_keys;
CREATE UNIQUE INDEX signing_keys_kid ON signing_keys (kid);
DELETE FROM schema_support WHERE version = 24;
