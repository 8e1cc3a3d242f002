INSERT INTO schema_support (version, oldest_binary) VALUES (17, '0.1.0');

-- Twins. mutations counts those of the facility.
CREATE TABLE facilities (
    id          BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid         TEXT COLLATE "C" NOT NULL,
    hub_id      TEXT COLLATE "C" NOT NULL REFERENCES hubs (id) ON DELETE CASCADE,
    name        TEXT COLLATE "C" NOT NULL,
    name_key    TEXT COLLATE "C" NOT NULL,
    props       TEXT COLLATE "C" NOT NULL,
    mutations   BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    modified_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX facilities_uid ON facilities (uid);
CREATE INDEX facilities_hub ON facilities (hub_id, name_key, uid);

CREATE TABLE facility_members (
    facility_id BIGINT NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    user_id     TEXT COLLATE "C" NOT NULL,
    access      BIGINT NOT NULL,
    added_at    BIGINT NOT NULL,
    PRIMARY KEY (facility_id, user_id)
);

CREATE INDEX facility_members_user ON facility_members (user_id);

CREATE TABLE twin_models (
    id          BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid         TEXT COLLATE "C" NOT NULL,
    facility_id BIGINT NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    label       TEXT COLLATE "C" NOT NULL,
    is_default  BOOLEAN NOT NULL,
    created_at  BIGINT NOT NULL
);

CREATE UNIQUE INDEX twin_models_uid ON twin_models (uid);
CREATE UNIQUE INDEX twin_models_default ON twin_models (facility_id) WHERE is_default;
CREATE INDEX twin_models_facility ON twin_models (facility_id, id);

-- Elements that were deleted stay as rows, for the history.
CREATE TABLE elements (
    id          BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    facility_id BIGINT NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    model_id    BIGINT NOT NULL REFERENCES twin_models (id) ON DELETE CASCADE,
    element_key TEXT COLLATE "C" NOT NULL,
    present     BOOLEAN NOT NULL
);

CREATE UNIQUE INDEX elements_key ON elements (model_id, element_key);
CREATE INDEX elements_facility ON elements (facility_id, id);

CREATE TABLE properties (
    id          BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    facility_id BIGINT NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    family      TEXT COLLATE "C" NOT NULL,
    column_name TEXT COLLATE "C" NOT NULL,
    name        TEXT COLLATE "C" NOT NULL,
    type        TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX properties_column ON properties (facility_id, family, column_name);

-- value is JSON, or empty when it was cleared. document_uid is the document
-- that it names, or empty.
CREATE TABLE element_values (
    element_id   BIGINT NOT NULL REFERENCES elements (id) ON DELETE CASCADE,
    property_id  BIGINT NOT NULL REFERENCES properties (id) ON DELETE CASCADE,
    value        TEXT COLLATE "C" NOT NULL,
    document_uid TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (element_id, property_id)
);

CREATE INDEX element_values_document ON element_values (document_uid) WHERE document_uid <> '';
CREATE INDEX element_values_property ON element_values (property_id);

CREATE TABLE mutations (
    id          BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    facility_id BIGINT NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    number      BIGINT NOT NULL,
    model_id    BIGINT NOT NULL REFERENCES twin_models (id) ON DELETE CASCADE,
    description TEXT COLLATE "C" NOT NULL,
    at          BIGINT NOT NULL,
    actor_kind  TEXT COLLATE "C" NOT NULL,
    actor_id    TEXT COLLATE "C" NOT NULL,
    client_id   TEXT COLLATE "C" NOT NULL,
    user_id     TEXT COLLATE "C" NOT NULL,
    on_behalf   BOOLEAN NOT NULL,
    undoes      BIGINT NOT NULL,
    undone_by   BIGINT NOT NULL
);

CREATE UNIQUE INDEX mutations_number ON mutations (facility_id, number);

-- What a mutation did. Property 0 stands for the element itself.
CREATE TABLE mutation_changes (
    mutation_id BIGINT NOT NULL REFERENCES mutations (id) ON DELETE CASCADE,
    element_id  BIGINT NOT NULL,
    property_id BIGINT NOT NULL,
    was         TEXT COLLATE "C" NOT NULL,
    became      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (mutation_id, element_id, property_id)
);

-- Documents: a copy of the bytes, and where it came from. by_ is in whose name it
-- follows the original, newest the newest version that is known of that, due_at
-- since when somebody should look.
CREATE TABLE twin_documents (
    id             BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid            TEXT COLLATE "C" NOT NULL,
    facility_id    BIGINT NOT NULL REFERENCES facilities (id) ON DELETE CASCADE,
    name           TEXT COLLATE "C" NOT NULL,
    label          TEXT COLLATE "C" NOT NULL,
    content_type   TEXT COLLATE "C" NOT NULL,
    size           BIGINT NOT NULL,
    sha256         BYTEA NOT NULL,
    blob           TEXT COLLATE "C" NOT NULL,
    revision       BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    source_hub     TEXT COLLATE "C" NOT NULL,
    source_project TEXT COLLATE "C" NOT NULL,
    source_item    TEXT COLLATE "C" NOT NULL,
    source_version BIGINT NOT NULL,
    newest         BIGINT NOT NULL,
    policy         TEXT COLLATE "C" NOT NULL,
    state          TEXT COLLATE "C" NOT NULL,
    reason         TEXT COLLATE "C" NOT NULL,
    by_client      TEXT COLLATE "C" NOT NULL,
    by_user        TEXT COLLATE "C" NOT NULL,
    by_on_behalf   BOOLEAN NOT NULL,
    due_at         BIGINT
);

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
    blob     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    noted_at BIGINT NOT NULL
);

CREATE INDEX twin_blobs_age ON twin_blobs (noted_at);

-- How far those who follow the events have come.
CREATE TABLE event_followers (
    name     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    position BIGINT NOT NULL
);

-- Rights end with whoever had them.
CREATE FUNCTION forget_twins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM facility_members WHERE user_id = OLD.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER users_twins AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_twins();
CREATE TRIGGER service_accounts_twins AFTER DELETE ON service_accounts FOR EACH ROW EXECUTE FUNCTION forget_twins();
