INSERT INTO schema_support (version, oldest_binary) VALUES (47, '0.1.0');

-- Directories: upstreams of the kind ldap, and what the last walk through each came
-- to. Their people belong to a row of scim_connections with the same id.
CREATE TABLE directories (
    upstream_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES upstreams (id) ON DELETE CASCADE,
    began_at    BIGINT,
    ended_at    BIGINT,
    outcome     TEXT COLLATE "C" NOT NULL,
    detail      TEXT COLLATE "C" NOT NULL,
    people      BIGINT NOT NULL,
    groups      BIGINT NOT NULL,
    changed     BIGINT NOT NULL,
    missing     BIGINT NOT NULL,
    skipped     BIGINT NOT NULL
);
