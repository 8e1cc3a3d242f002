INSERT INTO schema_support (version, oldest_binary) VALUES (64, '0.1.0');

-- What is shown of a picture in the list of a folder; empty where none can be made.
CREATE TABLE thumbnails (
    object_id INTEGER NOT NULL PRIMARY KEY REFERENCES objects (id) ON DELETE CASCADE,
    picture   BLOB NOT NULL
) STRICT;
