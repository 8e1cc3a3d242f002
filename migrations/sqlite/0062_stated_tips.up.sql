INSERT INTO schema_support (version, oldest_binary) VALUES (62, '0.1.0');

-- How far the newest version of an item has come, so that what lies in a folder is found by it at once. It is said of the
-- version with the number tip_stated: once another is the newest, nothing is said of that.
ALTER TABLE items ADD COLUMN tip_stated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE items ADD COLUMN tip_state TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN tip_suitability TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN tip_revision TEXT NOT NULL DEFAULT '';

UPDATE items SET tip_stated = v.number, tip_state = coalesce(v.extension_data ->> '$.cde.state', ''),
    tip_suitability = coalesce(v.extension_data ->> '$.cde.suitability', ''),
    tip_revision = coalesce(v.extension_data ->> '$.cde.revision', '')
FROM versions v
WHERE v.item_id = items.id AND v.number = items.tip AND v.extension_data LIKE '%"cde"%';

CREATE INDEX items_stated ON items (folder_id, name_key, id, tip_stated, tip, tip_state, tip_suitability, tip_revision)
    WHERE tip_stated > 0;
