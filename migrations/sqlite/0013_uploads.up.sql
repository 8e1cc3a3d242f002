INSERT INTO schema_support (version, oldest_binary) VALUES (13, '0.1.0');

-- target_folder or target_item is what the object was made for. blob is the key
-- under which the bytes are kept, once stored. orphan_since: since when no
-- version has the object, as far as the sweep has seen.
ALTER TABLE objects ADD COLUMN target_folder TEXT NOT NULL DEFAULT '';
ALTER TABLE objects ADD COLUMN target_item TEXT NOT NULL DEFAULT '';
ALTER TABLE objects ADD COLUMN blob TEXT NOT NULL DEFAULT '';
ALTER TABLE objects ADD COLUMN mime_type TEXT NOT NULL DEFAULT '';
ALTER TABLE objects ADD COLUMN sha1 BLOB;
ALTER TABLE objects ADD COLUMN orphan_since INTEGER;

CREATE UNIQUE INDEX objects_blob ON objects (blob) WHERE blob <> '';
CREATE INDEX objects_loose ON objects (orphan_since, created_at) WHERE item_id IS NULL;

-- Uploads that are under way. reference is what the store of the bytes calls it.
CREATE TABLE uploads (
    id         TEXT NOT NULL PRIMARY KEY,
    object_id  INTEGER NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    reference  TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX uploads_object ON uploads (object_id);
CREATE INDEX uploads_expiry ON uploads (expires_at);

-- How much may be stored, in bytes; 0: no limit. used is what is stored.
CREATE TABLE project_limits (
    project_id INTEGER NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    quota      INTEGER NOT NULL,
    max_object INTEGER NOT NULL,
    used       INTEGER NOT NULL
) STRICT;

-- An object whose last version goes belongs to no item any more.
CREATE TRIGGER versions_gone AFTER DELETE ON versions FOR EACH ROW WHEN OLD.object_id IS NOT NULL
BEGIN
    UPDATE objects SET item_id = NULL
    WHERE id = OLD.object_id AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.object_id = OLD.object_id);
END;
