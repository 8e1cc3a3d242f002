INSERT INTO schema_support (version, oldest_binary) VALUES (5, '0.1.0');

CREATE TABLE signing_keys (
    generation  INTEGER NOT NULL PRIMARY KEY,
    kid         TEXT NOT NULL,
    sealed      BLOB NOT NULL,
    public      BLOB NOT NULL,
    created_at  INTEGER NOT NULL,
    active_from INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX signing_keys_kid ON signing_keys (kid);

CREATE TABLE audit_events (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    actor_kind TEXT NOT NULL,
    actor_id   TEXT NOT NULL,
    request_id TEXT NOT NULL,
    address    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    detail     TEXT NOT NULL
) STRICT;

CREATE INDEX audit_events_kind ON audit_events (kind, id);
CREATE INDEX audit_events_subject ON audit_events (subject, id);
CREATE INDEX audit_events_actor ON audit_events (actor_id, id);
CREATE INDEX audit_events_at ON audit_events (at);

-- Duties that one process at a time may do.
CREATE TABLE leases (
    name       TEXT NOT NULL PRIMARY KEY,
    holder     TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
