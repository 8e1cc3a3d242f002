INSERT INTO schema_support (version, oldest_binary) VALUES (25, '0.1.0');

-- Mails that are to be sent, and what became of them. next_at is NULL when
-- there is nothing left to try; taken is how often one was taken to be sent
-- without a word since on how it went. What it says is gone when it was sent; a
-- link in it is sealed.
CREATE TABLE mails (
    id           BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid          TEXT COLLATE "C" NOT NULL,
    kind         TEXT COLLATE "C" NOT NULL,
    user_id      TEXT COLLATE "C" NOT NULL,
    address      TEXT COLLATE "C" NOT NULL,
    address_key  TEXT COLLATE "C" NOT NULL,
    words        TEXT COLLATE "C" NOT NULL,
    sealed       BYTEA,
    taken        BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    attempts     BIGINT NOT NULL,
    last_at      BIGINT,
    last_status  BIGINT NOT NULL,
    failure      TEXT COLLATE "C" NOT NULL,
    next_at      BIGINT,
    delivered_at BIGINT
);

CREATE UNIQUE INDEX mails_uid ON mails (uid);
CREATE INDEX mails_address ON mails (address_key, id);
CREATE INDEX mails_due ON mails (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX mails_over ON mails (created_at) WHERE next_at IS NULL;
