INSERT INTO schema_support (version, oldest_binary) VALUES (14, '0.1.0');

-- A reference runs from one thing to another of its project. An end is a folder
-- or an item; version is the number of one of the item's versions, and 0 for
-- the item itself and for folders.
CREATE TABLE refs (
    id                BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    from_folder_id    BIGINT REFERENCES folders (id) ON DELETE CASCADE,
    from_item_id      BIGINT REFERENCES items (id) ON DELETE CASCADE,
    from_version      BIGINT NOT NULL,
    to_folder_id      BIGINT REFERENCES folders (id) ON DELETE CASCADE,
    to_item_id        BIGINT REFERENCES items (id) ON DELETE CASCADE,
    to_version        BIGINT NOT NULL,
    extension_type    TEXT COLLATE "C" NOT NULL,
    extension_version TEXT COLLATE "C" NOT NULL,
    extension_data    TEXT COLLATE "C" NOT NULL,
    created_at        BIGINT NOT NULL,
    created_by        TEXT COLLATE "C" NOT NULL
);

-- One of a type between two ends.
CREATE UNIQUE INDEX refs_ends ON refs (coalesce(from_folder_id, 0), coalesce(from_item_id, 0), from_version,
    coalesce(to_folder_id, 0), coalesce(to_item_id, 0), to_version, extension_type);
CREATE INDEX refs_from_folder ON refs (from_folder_id, id) WHERE from_folder_id IS NOT NULL;
CREATE INDEX refs_from_item ON refs (from_item_id, from_version, id) WHERE from_item_id IS NOT NULL;
CREATE INDEX refs_to_folder ON refs (to_folder_id, id) WHERE to_folder_id IS NOT NULL;
CREATE INDEX refs_to_item ON refs (to_item_id, to_version, id) WHERE to_item_id IS NOT NULL;

-- A link leads from a thing, named as above, to an address elsewhere.
CREATE TABLE links (
    id                BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid               TEXT COLLATE "C" NOT NULL,
    folder_id         BIGINT REFERENCES folders (id) ON DELETE CASCADE,
    item_id           BIGINT REFERENCES items (id) ON DELETE CASCADE,
    version           BIGINT NOT NULL,
    href              TEXT COLLATE "C" NOT NULL,
    mime_type         TEXT COLLATE "C" NOT NULL,
    extension_type    TEXT COLLATE "C" NOT NULL,
    extension_version TEXT COLLATE "C" NOT NULL,
    extension_data    TEXT COLLATE "C" NOT NULL,
    created_at        BIGINT NOT NULL,
    created_by        TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX links_uid ON links (uid);
CREATE INDEX links_folder ON links (folder_id, id) WHERE folder_id IS NOT NULL;
CREATE INDEX links_item ON links (item_id, version, id) WHERE item_id IS NOT NULL;

-- What search looks up within a project. Other conditions are tried row by row.
ALTER TABLE versions ADD COLUMN project_id BIGINT NOT NULL DEFAULT 0;
ALTER TABLE versions ADD COLUMN name_key TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE versions SET project_id = i.project_id, name_key = CASE WHEN versions.name = i.name THEN i.name_key ELSE lower(versions.name) END
FROM items i WHERE i.id = versions.item_id;
CREATE INDEX versions_name ON versions (project_id, name);
CREATE INDEX versions_file_type ON versions (project_id, file_type);
CREATE INDEX versions_mime_type ON versions (project_id, mime_type);
CREATE INDEX versions_created ON versions (project_id, created_at);

-- How far events have their positions, and up to where they were forgotten. It
-- is one row.
CREATE TABLE event_positions (
    id        BIGINT NOT NULL PRIMARY KEY,
    last      BIGINT NOT NULL,
    forgotten BIGINT NOT NULL
);

INSERT INTO event_positions (id, last, forgotten) VALUES (1, 0, 0);
CREATE INDEX events_feed ON events (project_id, position) WHERE position IS NOT NULL;
