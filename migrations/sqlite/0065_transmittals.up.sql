INSERT INTO schema_support (version, oldest_binary) VALUES (65, '0.1.0');

-- What was sent to people of a project: a letter with a list of versions. versions and sent_to are how many
-- there are, size is that of all versions in bytes.
CREATE TABLE transmittals (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    title      TEXT NOT NULL,
    message    TEXT NOT NULL,
    sent_at    INTEGER NOT NULL,
    sent_by    TEXT NOT NULL,
    versions   INTEGER NOT NULL,
    sent_to    INTEGER NOT NULL,
    size       INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX transmittals_number ON transmittals (project_id, number);

-- The versions as they were then. Their items may be gone.
CREATE TABLE transmittal_versions (
    transmittal_id INTEGER NOT NULL REFERENCES transmittals (id) ON DELETE CASCADE,
    place          INTEGER NOT NULL,
    item_uid       TEXT NOT NULL,
    number         INTEGER NOT NULL,
    name           TEXT NOT NULL,
    size           INTEGER NOT NULL,
    sha256         TEXT NOT NULL,
    state          TEXT NOT NULL,
    suitability    TEXT NOT NULL,
    revision       TEXT NOT NULL,
    PRIMARY KEY (transmittal_id, place)
) STRICT;

-- To whom, and through which group of that time. A person may be gone.
CREATE TABLE transmittal_people (
    transmittal_id INTEGER NOT NULL REFERENCES transmittals (id) ON DELETE CASCADE,
    user_id        TEXT NOT NULL,
    through        TEXT NOT NULL,
    PRIMARY KEY (transmittal_id, user_id)
) STRICT;

-- Who of them has fetched which version, the first time.
CREATE TABLE transmittal_fetches (
    id             INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    transmittal_id INTEGER NOT NULL REFERENCES transmittals (id) ON DELETE CASCADE,
    user_id        TEXT NOT NULL,
    place          INTEGER NOT NULL,
    at             INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX transmittal_fetches_once ON transmittal_fetches (transmittal_id, user_id, place);
CREATE INDEX transmittal_fetches_order ON transmittal_fetches (transmittal_id, id);
