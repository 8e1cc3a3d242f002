INSERT INTO schema_support (version, oldest_binary) VALUES (8, '0.1.0');

CREATE TABLE hubs (
    id                TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name              TEXT COLLATE "C" NOT NULL,
    name_key          TEXT COLLATE "C" NOT NULL,
    region            TEXT COLLATE "C" NOT NULL,
    extension_type    TEXT COLLATE "C" NOT NULL,
    extension_version TEXT COLLATE "C" NOT NULL,
    extension_data    TEXT COLLATE "C" NOT NULL,
    active            BOOLEAN NOT NULL,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL
);

CREATE INDEX hubs_name ON hubs (name_key, id);

-- A user_id is that of a user or of a service account, so it can't refer to
-- either; a trigger of a later step takes rows of deleted ones away.
CREATE TABLE hub_members (
    hub_id   TEXT COLLATE "C" NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
    user_id  TEXT COLLATE "C" NOT NULL,
    admin    BOOLEAN NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (hub_id, user_id)
);

CREATE INDEX hub_members_user ON hub_members (user_id);

CREATE TABLE hub_groups (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    hub_id     TEXT COLLATE "C" NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
    name       TEXT COLLATE "C" NOT NULL,
    name_key   TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX hub_groups_name ON hub_groups (hub_id, name_key);

CREATE TABLE group_members (
    group_id TEXT COLLATE "C" NOT NULL REFERENCES hub_groups (id) ON DELETE CASCADE,
    user_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (group_id, user_id)
);

CREATE INDEX group_members_user ON group_members (user_id, group_id);

-- Which clients are provisioned where, and for whom they may act.
CREATE TABLE app_access (
    hub_id     TEXT COLLATE "C" NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
    client_id  TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    level      BIGINT NOT NULL,
    users      TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (hub_id, client_id)
);

CREATE INDEX app_access_client ON app_access (client_id);

CREATE TABLE app_access_users (
    hub_id    TEXT COLLATE "C" NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (hub_id, client_id, user_id)
);

CREATE INDEX app_access_users_client ON app_access_users (client_id);
CREATE INDEX app_access_users_user ON app_access_users (user_id);

-- uid is the id that the world sees; id is for the tables of the tree.
CREATE TABLE projects (
    id                BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid               TEXT COLLATE "C" NOT NULL,
    hub_id            TEXT COLLATE "C" NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
    name              TEXT COLLATE "C" NOT NULL,
    name_key          TEXT COLLATE "C" NOT NULL,
    type              TEXT COLLATE "C" NOT NULL,
    extension_type    TEXT COLLATE "C" NOT NULL,
    extension_version TEXT COLLATE "C" NOT NULL,
    extension_data    TEXT COLLATE "C" NOT NULL,
    active            BOOLEAN NOT NULL,
    archived          BOOLEAN NOT NULL,
    root_uid          TEXT COLLATE "C" NOT NULL,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL
);

CREATE UNIQUE INDEX projects_uid ON projects (uid);
CREATE INDEX projects_hub ON projects (hub_id, name_key, uid);

CREATE TABLE project_members (
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id    TEXT COLLATE "C" NOT NULL,
    admin      BOOLEAN NOT NULL,
    added_at   BIGINT NOT NULL,
    PRIMARY KEY (project_id, user_id)
);

CREATE INDEX project_members_user ON project_members (user_id);
