INSERT INTO schema_support (version, oldest_binary) VALUES (52, '0.1.0');

-- What somebody has had packed. owner is for whom, a user or an app; size is that of the whole in bytes, and
-- central where the directory of the files begins.
CREATE TABLE archives (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    owner      TEXT COLLATE "C" NOT NULL,
    name       TEXT COLLATE "C" NOT NULL,
    files      BIGINT NOT NULL,
    missing    BIGINT NOT NULL,
    size       BIGINT NOT NULL,
    central    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX archives_project ON archives (project_id);
CREATE INDEX archives_owner ON archives (owner, created_at);
CREATE INDEX archives_expiry ON archives (expires_at);

-- What is in them, some files at a time. start and central are where the files, and their lines in the
-- directory, begin.
CREATE TABLE archive_pages (
    archive_id TEXT COLLATE "C" NOT NULL REFERENCES archives (id) ON DELETE CASCADE,
    start      BIGINT NOT NULL,
    central    BIGINT NOT NULL,
    entries    BYTEA NOT NULL,
    PRIMARY KEY (archive_id, start)
);

CREATE UNIQUE INDEX archive_pages_central ON archive_pages (archive_id, central);
