INSERT INTO schema_support (version, oldest_binary) VALUES (65, '0.1.0');

-- What was sent to people of a project: a letter with a list of versions. versions and sent_to are how many
-- there are, size is that of all versions in bytes.
CREATE TABLE transmittals (
    id         BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number     BIGINT NOT NULL,
    title      TEXT COLLATE "C" NOT NULL,
    message    TEXT COLLATE "C" NOT NULL,
    sent_at    BIGINT NOT NULL,
    sent_by    TEXT COLLATE "C" NOT NULL,
    versions   BIGINT NOT NULL,
    sent_to    BIGINT NOT NULL,
    size       BIGINT NOT NULL
);

CREATE UNIQUE INDEX transmittals_number ON transmittals (project_id, number);

-- The versions as they were then. Their items may be gone.
CREATE TABLE transmittal_versions (
    transmittal_id BIGINT NOT NULL REFERENCES transmittals (id) ON DELETE CASCADE,
    place          BIGINT NOT NULL,
    item_uid       TEXT COLLATE "C" NOT NULL,
    number         BIGINT NOT NULL,
    name           TEXT COLLATE "C" NOT NULL,
    size           BIGINT NOT NULL,
    sha256         TEXT COLLATE "C" NOT NULL,
    state          TEXT COLLATE "C" NOT NULL,
    suitability    TEXT COLLATE "C" NOT NULL,
    revision       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (transmittal_id, place)
);

-- To whom, and through which group of that time. A person may be gone.
CREATE TABLE transmittal_people (
    transmittal_id BIGINT NOT NULL REFERENCES transmittals (id) ON DELETE CASCADE,
    user_id        TEXT COLLATE "C" NOT NULL,
    through        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (transmittal_id, user_id)
);

-- Who of them has fetched which version, the first time.
CREATE TABLE transmittal_fetches (
    id             BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transmittal_id BIGINT NOT NULL REFERENCES transmittals (id) ON DELETE CASCADE,
    user_id        TEXT COLLATE "C" NOT NULL,
    place          BIGINT NOT NULL,
    at             BIGINT NOT NULL
);

CREATE UNIQUE INDEX transmittal_fetches_once ON transmittal_fetches (transmittal_id, user_id, place);
CREATE INDEX transmittal_fetches_order ON transmittal_fetches (transmittal_id, id);
