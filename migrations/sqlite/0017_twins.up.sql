INSERT INTO schema_support (version, oldest_binary) VALUES (17, '0.1.0');

-- Twins. mutations counts those of the facility.
CREATE TABLE facilities (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    uid         TEXT NOT NULL,
    hub_id      TEXT NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL,
    props       TEXT NOT NULL,
    mutations   INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    modified_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX facilities_uid ON facilities (uid);
CREATE INDEX facilities_hub ON facilities (hub_id, name_key, uid);

CREATE TABLE facility_members (
    facility_id INTEGER NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    user_id     TEXT NOT NULL,
    access      INTEGER NOT NULL,
    added_at    INTEGER NOT NULL,
    PRIMARY KEY (facility_id, user_id)
) STRICT;

CREATE INDEX facility_members_user ON facility_members (user_id);

CREATE TABLE twin_models (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    uid         TEXT NOT NULL,
    facility_id INTEGER NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    label       TEXT NOT NULL,
    is_default  INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    created_at  INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX twin_models_uid ON twin_models (uid);
CREATE UNIQUE INDEX twin_models_default ON twin_models (facility_id) WHERE is_default;
CREATE INDEX twin_models_facility ON twin_models (facility_id, id);

-- Elements that were deleted stay as rows, for the history.
CREATE TABLE elements (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    facility_id INTEGER NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    model_id    INTEGER NOT NULL REFERENCES twin_models (id) ON DELETE CASCADE,
    element_key TEXT NOT NULL,
    present     INTEGER NOT NULL CHECK (present IN (0, 1))
) STRICT;

CREATE UNIQUE INDEX elements_key ON elements (model_id, element_key);
CREATE INDEX elements_facility ON elements (facility_id, id);

CREATE TABLE properties (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    facility_id INTEGER NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    family      TEXT NOT NULL,
    column_name TEXT NOT NULL,
    name        TEXT NOT NULL,
    type        TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX properties_column ON properties (facility_id, family, column_name);

-- value is JSON, or empty when it was cleared. document_uid is the document
-- that it names, or empty.
CREATE TABLE element_values (
    element_id   INTEGER NOT NULL REFERENCES elements (id) ON DELETE CASCADE,
    property_id  INTEGER NOT NULL REFERENCES properties (id) ON DELETE CASCADE,
    value        TEXT NOT NULL,
    document_uid TEXT NOT NULL,
    PRIMARY KEY (element_id, property_id)
) STRICT;

CREATE INDEX element_values_document ON element_values (document_uid) WHERE document_uid <> '';
CREATE INDEX element_values_property ON element_values (property_id);

CREATE TABLE mutations (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    facility_id INTEGER NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    model_id    INTEGER NOT NULL REFERENCES twin_models (id) ON DELETE CASCADE,
    description TEXT NOT NULL,
    at          INTEGER NOT NULL,
    actor_kind  TEXT NOT NULL,
    actor_id    TEXT NOT NULL,
    client_id   TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    on_behalf   INTEGER NOT NULL CHECK (on_behalf IN (0, 1)),
    undoes      INTEGER NOT NULL,
    undone_by   INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX mutations_number ON mutations (facility_id, number);

-- What a mutation did. Property 0 stands for the element itself.
CREATE TABLE mutation_changes (
    mutation_id INTEGER NOT NULL REFERENCES mutations (id) ON DELETE CASCADE,
    element_id  INTEGER NOT NULL,
    property_id INTEGER NOT NULL,
    was         TEXT NOT NULL,
    became      TEXT NOT NULL,
    PRIMARY KEY (mutation_id, element_id, property_id)
) STRICT;

-- Documents: a copy of the bytes, and where it came from. by_ is in whose name it
-- follows the original, newest the newest version that is known of that, due_at
-- since when somebody should look.
CREATE TABLE twin_documents (
    id             INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    uid            TEXT NOT NULL,
    facility_id    INTEGER NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    name           TEXT NOT NULL,
    label          TEXT NOT NULL,
    content_type   TEXT NOT NULL,
    size           INTEGER NOT NULL,
    sha256         BLOB NOT NULL,
    blob           TEXT NOT NULL,
    revision       INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    source_hub     TEXT NOT NULL,
    source_project TEXT NOT NULL,
    source_item    TEXT NOT NULL,
    source_version INTEGER NOT NULL,
    newest         INTEGER NOT NULL,
    policy         TEXT NOT NULL,
    state          TEXT NOT NULL,
    reason         TEXT NOT NULL,
    by_client      TEXT NOT NULL,
    by_user        TEXT NOT NULL,
    by_on_behalf   INTEGER NOT NULL CHECK (by_on_behalf IN (0, 1)),
    due_at         INTEGER
) STRICT;

CREATE UNIQUE INDEX twin_documents_uid ON twin_documents (uid);
CREATE UNIQUE INDEX twin_documents_blob ON twin_documents (blob);
CREATE UNIQUE INDEX twin_documents_source ON twin_documents (facility_id, source_item);
CREATE INDEX twin_documents_item ON twin_documents (source_item);
CREATE INDEX twin_documents_project ON twin_documents (source_project);
CREATE INDEX twin_documents_hub ON twin_documents (source_hub);
CREATE INDEX twin_documents_due ON twin_documents (due_at) WHERE due_at IS NOT NULL;

-- Bytes that are being copied, or that a document has no more: to be deleted
-- when they have been here for a while.
CREATE TABLE twin_blobs (
    blob     TEXT NOT NULL PRIMARY KEY,
    noted_at INTEGER NOT NULL
) STRICT;

CREATE INDEX twin_blobs_age ON twin_blobs (noted_at);

-- How far those who follow the events have come.
CREATE TABLE event_followers (
    name     TEXT NOT NULL PRIMARY KEY,
    position INTEGER NOT NULL
) STRICT;

-- Rights end with whoever had them.
CREATE TRIGGER users_twins AFTER DELETE ON users FOR EACH ROW
BEGIN
    DELETE FROM facility_members WHERE user_id = OLD.id;
END;

CREATE TRIGGER service_accounts_twins AFTER DELETE ON service_accounts FOR EACH ROW
BEGIN
    DELETE FROM facility_members WHERE user_id = OLD.id;
END;
