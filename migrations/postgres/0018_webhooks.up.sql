INSERT INTO schema_support (version, oldest_binary) VALUES (18, '0.1.0');

-- Addresses that are told of what happens in projects. position is how far the
-- feed was made into deliveries.
CREATE TABLE webhooks (
    id         BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid        TEXT COLLATE "C" NOT NULL,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    folder_uid TEXT COLLATE "C" NOT NULL,
    events     TEXT COLLATE "C" NOT NULL,
    url        TEXT COLLATE "C" NOT NULL,
    secret     BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    position   BIGINT NOT NULL
);

CREATE UNIQUE INDEX webhooks_uid ON webhooks (uid);
CREATE INDEX webhooks_project ON webhooks (project_id, id);
CREATE INDEX webhooks_position ON webhooks (position);

-- What they are told. A delivery that has a next_at is not over yet.
CREATE TABLE webhook_deliveries (
    id           BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id   BIGINT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event        TEXT COLLATE "C" NOT NULL,
    subject      TEXT COLLATE "C" NOT NULL,
    body         TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL,
    attempts     BIGINT NOT NULL,
    last_at      BIGINT,
    last_status  BIGINT NOT NULL,
    failure      TEXT COLLATE "C" NOT NULL,
    next_at      BIGINT,
    delivered_at BIGINT
);

CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (webhook_id, subject, id) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_deliveries_over ON webhook_deliveries (last_at) WHERE next_at IS NULL;
