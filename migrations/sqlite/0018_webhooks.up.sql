INSERT INTO schema_support (version, oldest_binary) VALUES (18, '0.1.0');

-- Addresses that are told of what happens in projects. position is how far the
-- feed was made into deliveries.
CREATE TABLE webhooks (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    uid        TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    folder_uid TEXT NOT NULL,
    events     TEXT NOT NULL,
    url        TEXT NOT NULL,
    secret     BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    position   INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX webhooks_uid ON webhooks (uid);
CREATE INDEX webhooks_project ON webhooks (project_id, id);
CREATE INDEX webhooks_position ON webhooks (position);

-- What they are told. A delivery that has a next_at is not over yet.
CREATE TABLE webhook_deliveries (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    webhook_id   INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event        TEXT NOT NULL,
    subject      TEXT NOT NULL,
    body         TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    attempts     INTEGER NOT NULL,
    last_at      INTEGER,
    last_status  INTEGER NOT NULL,
    failure      TEXT NOT NULL,
    next_at      INTEGER,
    delivered_at INTEGER
) STRICT;

CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (webhook_id, subject, id) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_over ON webhook_deliveries (last_at) WHERE next_at IS NULL;
