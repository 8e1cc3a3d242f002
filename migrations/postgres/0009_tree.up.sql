INSERT INTO schema_support (version, oldest_binary) VALUES (9, '0.1.0');

-- parent_id is the truth of the tree. revision grows with each change of the
-- row itself; rollup_at and object_count follow what happens below, some of it
-- a moment later (folder_changes).
CREATE TABLE folders (
    id                BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid               TEXT COLLATE "C" NOT NULL,
    project_id        BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    parent_id         BIGINT REFERENCES folders (id) ON DELETE CASCADE,
    name              TEXT COLLATE "C" NOT NULL,
    name_key          TEXT COLLATE "C" NOT NULL,
    kind              TEXT COLLATE "C" NOT NULL,
    hidden            BOOLEAN NOT NULL,
    hidden_at         BIGINT,
    extension_type    TEXT COLLATE "C" NOT NULL,
    extension_version TEXT COLLATE "C" NOT NULL,
    extension_data    TEXT COLLATE "C" NOT NULL,
    revision          BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    created_by        TEXT COLLATE "C" NOT NULL,
    modified_at       BIGINT NOT NULL,
    modified_by       TEXT COLLATE "C" NOT NULL,
    rollup_at         BIGINT NOT NULL,
    object_count      BIGINT NOT NULL
);

CREATE UNIQUE INDEX folders_uid ON folders (uid);
CREATE UNIQUE INDEX folders_name ON folders (parent_id, name_key) WHERE NOT hidden;
CREATE INDEX folders_contents ON folders (parent_id, name_key, id);
CREATE INDEX folders_hidden ON folders (project_id, hidden_at) WHERE hidden;

-- Where a folder lies, by ids: "1a/2b/3c/" is folder 3c (base 36) in 2b in root
-- 1a. So a subtree is one range of the index. visible: neither the folder nor
-- one above it is hidden.
CREATE TABLE folder_paths (
    folder_id BIGINT NOT NULL PRIMARY KEY REFERENCES folders (id) ON DELETE CASCADE,
    path      TEXT COLLATE "C" NOT NULL,
    visible   BOOLEAN NOT NULL
);

CREATE UNIQUE INDEX folder_paths_path ON folder_paths (path);

-- Changes that rollup_at (of the folder at path and all above it) and
-- object_count (of the folder itself) don't have in them yet.
CREATE TABLE folder_changes (
    id        BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    folder_id BIGINT NOT NULL,
    path      TEXT COLLATE "C" NOT NULL,
    at        BIGINT NOT NULL,
    objects   BIGINT NOT NULL
);

CREATE INDEX folder_changes_path ON folder_changes (path);

-- What is given to whom; grantee is the id of a user, service account or group.
CREATE TABLE folder_grants (
    folder_id  BIGINT NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    grantee    TEXT COLLATE "C" NOT NULL,
    is_group   BOOLEAN NOT NULL,
    project_id BIGINT NOT NULL,
    level      BIGINT NOT NULL,
    PRIMARY KEY (folder_id, grantee)
);

CREATE INDEX folder_grants_grantee ON folder_grants (grantee, project_id, folder_id);

-- Stored bytes. item_id is the item whose version has used them first.
CREATE TABLE objects (
    id         BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    bucket     TEXT COLLATE "C" NOT NULL,
    object_key TEXT COLLATE "C" NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name       TEXT COLLATE "C" NOT NULL,
    state      TEXT COLLATE "C" NOT NULL,
    size       BIGINT NOT NULL,
    sha256     BYTEA,
    item_id    BIGINT,
    created_at BIGINT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    stored_at  BIGINT
);

CREATE UNIQUE INDEX objects_key ON objects (bucket, object_key);
CREATE INDEX objects_project ON objects (project_id);

-- tip counts the versions, and is the number of the newest.
CREATE TABLE items (
    id                BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid               TEXT COLLATE "C" NOT NULL,
    project_id        BIGINT NOT NULL,
    folder_id         BIGINT NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    name              TEXT COLLATE "C" NOT NULL,
    name_key          TEXT COLLATE "C" NOT NULL,
    hidden            BOOLEAN NOT NULL,
    hidden_at         BIGINT,
    tip               BIGINT NOT NULL,
    extension_type    TEXT COLLATE "C" NOT NULL,
    extension_version TEXT COLLATE "C" NOT NULL,
    extension_data    TEXT COLLATE "C" NOT NULL,
    revision          BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    created_by        TEXT COLLATE "C" NOT NULL,
    modified_at       BIGINT NOT NULL,
    modified_by       TEXT COLLATE "C" NOT NULL,
    reserved_by       TEXT COLLATE "C" NOT NULL,
    reserved_at       BIGINT,
    reserved_until    BIGINT
);

CREATE UNIQUE INDEX items_uid ON items (uid);
CREATE UNIQUE INDEX items_name ON items (folder_id, name_key) WHERE NOT hidden;
CREATE INDEX items_contents ON items (folder_id, name_key, id);
CREATE INDEX items_hidden ON items (project_id, hidden_at) WHERE hidden;
CREATE INDEX items_reserved ON items (project_id, uid) WHERE reserved_until IS NOT NULL;

CREATE TABLE versions (
    item_id           BIGINT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    number            BIGINT NOT NULL,
    name              TEXT COLLATE "C" NOT NULL,
    mime_type         TEXT COLLATE "C" NOT NULL,
    file_type         TEXT COLLATE "C" NOT NULL,
    size              BIGINT NOT NULL,
    object_id         BIGINT REFERENCES objects (id),
    extension_type    TEXT COLLATE "C" NOT NULL,
    extension_version TEXT COLLATE "C" NOT NULL,
    extension_data    TEXT COLLATE "C" NOT NULL,
    revision          BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    created_by        TEXT COLLATE "C" NOT NULL,
    modified_at       BIGINT NOT NULL,
    modified_by       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (item_id, number)
);

CREATE INDEX versions_object ON versions (object_id) WHERE object_id IS NOT NULL;

-- Rights end with whoever had them.
CREATE FUNCTION forget_rights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM hub_members WHERE user_id = OLD.id;
    DELETE FROM project_members WHERE user_id = OLD.id;
    DELETE FROM group_members WHERE user_id = OLD.id;
    DELETE FROM app_access_users WHERE user_id = OLD.id;
    DELETE FROM folder_grants WHERE grantee = OLD.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER users_rights AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_rights();
CREATE TRIGGER service_accounts_rights AFTER DELETE ON service_accounts FOR EACH ROW EXECUTE FUNCTION forget_rights();
