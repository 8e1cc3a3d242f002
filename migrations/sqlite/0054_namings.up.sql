INSERT INTO schema_support (version, oldest_binary) VALUES (54, '0.1.0');

-- How the files of a project are called, as JSON.
CREATE TABLE namings (
    project_id INTEGER NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    rule       TEXT NOT NULL
) STRICT;
