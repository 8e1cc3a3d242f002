INSERT INTO schema_support (version, oldest_binary) VALUES (45, '0.1.0');

-- Companies that send their people and groups (SCIM): a row for each.
CREATE TABLE scim_connections (
    id           TEXT NOT NULL PRIMARY KEY,
    name         TEXT NOT NULL,
    name_key     TEXT NOT NULL,
    domains      TEXT NOT NULL,
    group_prefix TEXT NOT NULL,
    disabled     INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    created_at   INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX scim_connections_name ON scim_connections (name_key);

CREATE TABLE scim_tokens (
    id            TEXT NOT NULL PRIMARY KEY,
    connection_id TEXT NOT NULL REFERENCES scim_connections (id) ON DELETE CASCADE,
    label         TEXT NOT NULL,
    hash          BLOB NOT NULL,
    created_at    INTEGER NOT NULL,
    ends_at       INTEGER,
    last_used_at  INTEGER
) STRICT;

CREATE UNIQUE INDEX scim_tokens_hash ON scim_tokens (hash);
CREATE INDEX scim_tokens_connection ON scim_tokens (connection_id);

-- Whose they are; document is what the company said of them, active whether it
-- wants them to sign in, which an administrator may forbid beside it.
CREATE TABLE scim_users (
    user_id       TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    connection_id TEXT NOT NULL REFERENCES scim_connections (id) ON DELETE CASCADE,
    external_id   TEXT NOT NULL,
    user_name     TEXT NOT NULL,
    name_key      TEXT NOT NULL,
    active        INTEGER NOT NULL CHECK (active IN (0, 1)),
    document      TEXT NOT NULL,
    version       INTEGER NOT NULL,
    hidden_at     INTEGER,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX scim_users_name ON scim_users (connection_id, name_key);
CREATE UNIQUE INDEX scim_users_external ON scim_users (connection_id, external_id) WHERE external_id <> '';
CREATE INDEX scim_users_order ON scim_users (connection_id, user_id);
CREATE INDEX scim_users_hidden ON scim_users (hidden_at) WHERE hidden_at IS NOT NULL;

CREATE TABLE scim_groups (
    group_id      TEXT NOT NULL PRIMARY KEY REFERENCES user_groups (id) ON DELETE CASCADE,
    connection_id TEXT NOT NULL REFERENCES scim_connections (id) ON DELETE CASCADE,
    external_id   TEXT NOT NULL,
    display_name  TEXT NOT NULL,
    name_key      TEXT NOT NULL,
    version       INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX scim_groups_name ON scim_groups (connection_id, name_key);
CREATE UNIQUE INDEX scim_groups_external ON scim_groups (connection_id, external_id) WHERE external_id <> '';
CREATE INDEX scim_groups_order ON scim_groups (connection_id, group_id);

-- The last that were asked of each connection.
CREATE TABLE scim_calls (
    id            INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    connection_id TEXT NOT NULL REFERENCES scim_connections (id) ON DELETE CASCADE,
    at            INTEGER NOT NULL,
    method        TEXT NOT NULL,
    path          TEXT NOT NULL,
    status        INTEGER NOT NULL,
    detail        TEXT NOT NULL,
    request_id    TEXT NOT NULL
) STRICT;

CREATE INDEX scim_calls_connection ON scim_calls (connection_id, id);
