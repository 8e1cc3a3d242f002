INSERT INTO schema_support (version, oldest_binary) VALUES (9, '0.1.0');

-- parent_id is the truth of the tree. revision grows with each change of the
-- row itself; rollup_at and object_count follow what happens below, some of it
-- a moment later (folder_changes).
CREATE TABLE folders (
    id                INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    uid               TEXT NOT NULL,
    project_id        INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    parent_id         INTEGER REFERENCES folders (id) ON DELETE CASCADE,
    name              TEXT NOT NULL,
    name_key          TEXT NOT NULL,
    kind              TEXT NOT NULL,
    hidden            INTEGER NOT NULL CHECK (hidden IN (0, 1)),
    hidden_at         INTEGER,
    extension_type    TEXT NOT NULL,
    extension_version TEXT NOT NULL,
    extension_data    TEXT NOT NULL,
    revision          INTEGER NOT NULL,
    created_at        INTEGER NOT NULL,
    created_by        TEXT NOT NULL,
    modified_at       INTEGER NOT NULL,
    modified_by       TEXT NOT NULL,
    rollup_at         INTEGER NOT NULL,
    object_count      INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX folders_uid ON folders (uid);
CREATE UNIQUE INDEX folders_name ON folders (parent_id, name_key) WHERE NOT hidden;
CREATE INDEX folders_contents ON folders (parent_id, name_key, id);
CREATE INDEX folders_hidden ON folders (project_id, hidden_at) WHERE hidden;

-- Where a folder lies, by ids: "1a/2b/3c/" is folder 3c (base 36) in 2b in root
-- 1a. So a subtree is one range of the index. visible: neither the folder nor
-- one above it is hidden.
CREATE TABLE folder_paths (
    folder_id INTEGER NOT NULL PRIMARY KEY REFERENCES folders (id) ON DELETE CASCADE,
    path      TEXT NOT NULL,
    visible   INTEGER NOT NULL CHECK (visible IN (0, 1))
) STRICT;

CREATE UNIQUE INDEX folder_paths_path ON folder_paths (path);

-- Changes that rollup_at (of the folder at path and all above it) and
-- object_count (of the folder itself) don't have in them yet.
CREATE TABLE folder_changes (
    id        INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    folder_id INTEGER NOT NULL,
    path      TEXT NOT NULL,
    at        INTEGER NOT NULL,
    objects   INTEGER NOT NULL
) STRICT;

CREATE INDEX folder_changes_path ON folder_changes (path);

-- What is given to whom; grantee is the id of a user, service account or group.
CREATE TABLE folder_grants (
    folder_id  INTEGER NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    grantee    TEXT NOT NULL,
    is_group   INTEGER NOT NULL CHECK (is_group IN (0, 1)),
    project_id INTEGER NOT NULL,
    level      INTEGER NOT NULL,
    PRIMARY KEY (folder_id, grantee)
) STRICT;

CREATE INDEX folder_grants_grantee ON folder_grants (grantee, project_id, folder_id);

-- Stored bytes. item_id is the item whose version has used them first.
CREATE TABLE objects (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    bucket     TEXT NOT NULL,
    object_key TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    state      TEXT NOT NULL,
    size       INTEGER NOT NULL,
    sha256     BLOB,
    item_id    INTEGER,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    stored_at  INTEGER
) STRICT;

CREATE UNIQUE INDEX objects_key ON objects (bucket, object_key);
CREATE INDEX objects_project ON objects (project_id);

-- tip counts the versions, and is the number of the newest.
CREATE TABLE items (
    id                INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    uid               TEXT NOT NULL,
    project_id        INTEGER NOT NULL,
    folder_id         INTEGER NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    name              TEXT NOT NULL,
    name_key          TEXT NOT NULL,
    hidden            INTEGER NOT NULL CHECK (hidden IN (0, 1)),
    hidden_at         INTEGER,
    tip               INTEGER NOT NULL,
    extension_type    TEXT NOT NULL,
    extension_version TEXT NOT NULL,
    extension_data    TEXT NOT NULL,
    revision          INTEGER NOT NULL,
    created_at        INTEGER NOT NULL,
    created_by        TEXT NOT NULL,
    modified_at       INTEGER NOT NULL,
    modified_by       TEXT NOT NULL,
    reserved_by       TEXT NOT NULL,
    reserved_at       INTEGER,
    reserved_until    INTEGER
) STRICT;

CREATE UNIQUE INDEX items_uid ON items (uid);
CREATE UNIQUE INDEX items_name ON items (folder_id, name_key) WHERE NOT hidden;
CREATE INDEX items_contents ON items (folder_id, name_key, id);
CREATE INDEX items_hidden ON items (project_id, hidden_at) WHERE hidden;
CREATE INDEX items_reserved ON items (project_id, uid) WHERE reserved_until IS NOT NULL;

CREATE TABLE versions (
    item_id           INTEGER NOT NULL REFERENCES items (id) ON DELETE CASCADE,
    number            INTEGER NOT NULL,
    name              TEXT NOT NULL,
    mime_type         TEXT NOT NULL,
    file_type         TEXT NOT NULL,
    size              INTEGER NOT NULL,
    object_id         INTEGER REFERENCES objects (id),
    extension_type    TEXT NOT NULL,
    extension_version TEXT NOT NULL,
    extension_data    TEXT NOT NULL,
    revision          INTEGER NOT NULL,
    created_at        INTEGER NOT NULL,
    created_by        TEXT NOT NULL,
    modified_at       INTEGER NOT NULL,
    modified_by       TEXT NOT NULL,
    PRIMARY KEY (item_id, number)
) STRICT;

CREATE INDEX versions_object ON versions (object_id) WHERE object_id IS NOT NULL;

-- Rights end with whoever had them.
CREATE TRIGGER users_rights AFTER DELETE ON users FOR EACH ROW
BEGIN
    DELETE FROM hub_members WHERE user_id = OLD.id;
    DELETE FROM project_members WHERE user_id = OLD.id;
    DELETE FROM group_members WHERE user_id = OLD.id;
    DELETE FROM app_access_users WHERE user_id = OLD.id;
    DELETE FROM folder_grants WHERE grantee = OLD.id;
END;

CREATE TRIGGER service_accounts_rights AFTER DELETE ON service_accounts FOR EACH ROW
BEGIN
    DELETE FROM hub_members WHERE user_id = OLD.id;
    DELETE FROM project_members WHERE user_id = OLD.id;
    DELETE FROM group_members WHERE user_id = OLD.id;
    DELETE FROM app_access_users WHERE user_id = OLD.id;
    DELETE FROM folder_grants WHERE grantee = OLD.id;
END;
