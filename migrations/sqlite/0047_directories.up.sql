INSERT INTO schema_support (version, oldest_binary) VALUES (47, '0.1.0');

-- Directories: upstreams of the kind ldap, and what the last walk through each came
-- to. Their people belong to a row of scim_connections with the same id.
CREATE TABLE directories (
    upstream_id TEXT NOT NULL PRIMARY KEY REFERENCES upstreams (id) ON DELETE CASCADE,
    began_at    INTEGER,
    ended_at    INTEGER,
    outcome     TEXT NOT NULL,
    detail      TEXT NOT NULL,
    people      INTEGER NOT NULL,
    groups      INTEGER NOT NULL,
    changed     INTEGER NOT NULL,
    missing     INTEGER NOT NULL,
    skipped     INTEGER NOT NULL
) STRICT;
