INSERT INTO schema_support (version, oldest_binary) VALUES (15, '0.1.0');

-- The picture that stands for an app on our pages, named by its hash.
CREATE TABLE client_logos (
    client_id TEXT NOT NULL PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE,
    hash      TEXT NOT NULL,
    picture   BLOB NOT NULL
) STRICT;

CREATE INDEX client_logos_hash ON client_logos (hash);
