INSERT INTO schema_support (version, oldest_binary) VALUES (45, '0.1.0');

-- Companies that send their people and groups (SCIM): a row for each.
CREATE TABLE scim_connections (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name         TEXT COLLATE "C" NOT NULL,
    name_key     TEXT COLLATE "C" NOT NULL,
    domains      TEXT COLLATE "C" NOT NULL,
    group_prefix TEXT COLLATE "C" NOT NULL,
    disabled     BOOLEAN NOT NULL,
    created_at   BIGINT NOT NULL
);

CREATE UNIQUE INDEX scim_connections_name ON scim_connections (name_key);

CREATE TABLE scim_tokens (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    connection_id TEXT COLLATE "C" NOT NULL REFERENCES scim_connections (id) ON DELETE CASCADE,
    label         TEXT COLLATE "C" NOT NULL,
    hash          BYTEA NOT NULL,
    created_at    BIGINT NOT NULL,
    ends_at       BIGINT,
    last_used_at  BIGINT
);

CREATE UNIQUE INDEX scim_tokens_hash ON scim_tokens (hash);
CREATE INDEX scim_tokens_connection ON scim_tokens (connection_id);

-- Whose they are; document is what the company said of them, active whether it
-- wants them to sign in, which an administrator may forbid beside it.
CREATE TABLE scim_users (
    user_id       TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    connection_id TEXT COLLATE "C" NOT NULL REFERENCES scim_connections (id) ON DELETE CASCADE,
    external_id   TEXT COLLATE "C" NOT NULL,
    user_name     TEXT COLLATE "C" NOT NULL,
    name_key      TEXT COLLATE "C" NOT NULL,
    active        BOOLEAN NOT NULL,
    document      TEXT COLLATE "C" NOT NULL,
    version       BIGINT NOT NULL,
    hidden_at     BIGINT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

CREATE UNIQUE INDEX scim_users_name ON scim_users (connection_id, name_key);
CREATE UNIQUE INDEX scim_users_external ON scim_users (connection_id, external_id) WHERE external_id <> '';
CREATE INDEX scim_users_order ON scim_users (connection_id, user_id);
CREATE INDEX scim_users_hidden ON scim_users (hidden_at) WHERE hidden_at IS NOT NULL;

CREATE TABLE scim_groups (
    group_id      TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES user_groups (id) ON DELETE CASCADE,
    connection_id TEXT COLLATE "C" NOT NULL REFERENCES scim_connections (id) ON DELETE CASCADE,
    external_id   TEXT COLLATE "C" NOT NULL,
    display_name  TEXT COLLATE "C" NOT NULL,
    name_key      TEXT COLLATE "C" NOT NULL,
    version       BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

CREATE UNIQUE INDEX scim_groups_name ON scim_groups (connection_id, name_key);
CREATE UNIQUE INDEX scim_groups_external ON scim_groups (connection_id, external_id) WHERE external_id <> '';
CREATE INDEX scim_groups_order ON scim_groups (connection_id, group_id);

-- The last that were asked of each connection.
CREATE TABLE scim_calls (
    id            BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    connection_id TEXT COLLATE "C" NOT NULL REFERENCES scim_connections (id) ON DELETE CASCADE,
    at            BIGINT NOT NULL,
    method        TEXT COLLATE "C" NOT NULL,
    path          TEXT COLLATE "C" NOT NULL,
    status        BIGINT NOT NULL,
    detail        TEXT COLLATE "C" NOT NULL,
    request_id    TEXT COLLATE "C" NOT NULL
);

CREATE INDEX scim_calls_connection ON scim_calls (connection_id, id);
