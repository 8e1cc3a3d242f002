INSERT INTO schema_support (version, oldest_binary) VALUES (5, '0.1.0');

CREATE TABLE signing_keys (
    generation  BIGINT NOT NULL PRIMARY KEY,
    kid         TEXT COLLATE "C" NOT NULL,
    sealed      BYTEA NOT NULL,
    public      BYTEA NOT NULL,
    created_at  BIGINT NOT NULL,
    active_from BIGINT NOT NULL
);

CREATE UNIQUE INDEX signing_keys_kid ON signing_keys (kid);

CREATE TABLE audit_events (
    id         BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         BIGINT NOT NULL,
    actor_kind TEXT COLLATE "C" NOT NULL,
    actor_id   TEXT COLLATE "C" NOT NULL,
    request_id TEXT COLLATE "C" NOT NULL,
    address    TEXT COLLATE "C" NOT NULL,
    kind       TEXT COLLATE "C" NOT NULL,
    subject    TEXT COLLATE "C" NOT NULL,
    detail     TEXT COLLATE "C" NOT NULL
);

CREATE INDEX audit_events_kind ON audit_events (kind, id);
CREATE INDEX audit_events_subject ON audit_events (subject, id);
CREATE INDEX audit_events_actor ON audit_events (actor_id, id);
CREATE INDEX audit_events_at ON audit_events (at);

-- Duties that one process at a time may do.
CREATE TABLE leases (
    name       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    holder     TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL
);
