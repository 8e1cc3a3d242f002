INSERT INTO schema_support (version, oldest_binary) VALUES (10, '0.1.0');

-- Every change of the data half, written by the change itself. tx is the
-- writing transaction: position, which readers go by, is given once all older
-- transactions have ended.
CREATE TABLE events (
    seq        INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    position   INTEGER,
    tx         INTEGER NOT NULL DEFAULT 0,
    kind       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    hub_id     TEXT NOT NULL,
    project_id TEXT NOT NULL,
    folder_id  TEXT NOT NULL,
    at         INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id   TEXT NOT NULL,
    request_id TEXT NOT NULL,
    address    TEXT NOT NULL,
    client_id  TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    on_behalf  INTEGER NOT NULL CHECK (on_behalf IN (0, 1)),
    data       TEXT NOT NULL
) STRICT;

CREATE INDEX events_unstamped ON events (seq) WHERE position IS NULL;
CREATE UNIQUE INDEX events_position ON events (position) WHERE position IS NOT NULL;
CREATE INDEX events_hub ON events (hub_id, seq) WHERE project_id = '';
CREATE INDEX events_project ON events (project_id, seq) WHERE project_id <> '';
CREATE INDEX events_subject ON events (subject, seq);
