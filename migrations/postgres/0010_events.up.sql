INSERT INTO schema_support (version, oldest_binary) VALUES (10, '0.1.0');

-- Every change of the data half, written by the change itself. tx is the
-- writing transaction: position, which readers go by, is given once all older
-- transactions have ended.
CREATE TABLE events (
    seq        BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    position   BIGINT,
    tx         BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
    kind       TEXT COLLATE "C" NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    hub_id     TEXT COLLATE "C" NOT NULL,
    project_id TEXT COLLATE "C" NOT NULL,
    folder_id  TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    actor_kind TEXT COLLATE "C" NOT NULL,
    actor_id   TEXT COLLATE "C" NOT NULL,
    request_id TEXT COLLATE "C" NOT NULL,
    address    TEXT COLLATE "C" NOT NULL,
    client_id  TEXT COLLATE "C" NOT NULL,
    user_id    TEXT COLLATE "C" NOT NULL,
    on_behalf  BOOLEAN NOT NULL,
    data       TEXT COLLATE "C" NOT NULL
);

CREATE INDEX events_unstamped ON events (seq) WHERE position IS NULL;
CREATE UNIQUE INDEX events_position ON events (position) WHERE position IS NOT NULL;
CREATE INDEX events_hub ON events (hub_id, seq) WHERE project_id = '';
CREATE INDEX events_project ON events (project_id, seq) WHERE project_id <> '';
CREATE INDEX events_subject ON events (subject, seq);
