INSERT INTO schema_support (version, oldest_binary) VALUES (25, '0.1.0');

-- Mails that are to be sent, and what became of them. next_at is NULL when
-- there is nothing left to try; taken is how often one was taken to be sent
-- without a word since on how it went. What it says is gone when it was sent; a
-- link in it is sealed.
CREATE TABLE mails (
    id           INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    uid          TEXT NOT NULL,
    kind         TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    address      TEXT NOT NULL,
    address_key  TEXT NOT NULL,
    words        TEXT NOT NULL,
    sealed       BLOB,
    taken        INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    attempts     INTEGER NOT NULL,
    last_at      INTEGER,
    last_status  INTEGER NOT NULL,
    failure      TEXT NOT NULL,
    next_at      INTEGER,
    delivered_at INTEGER
) STRICT;

CREATE UNIQUE INDEX mails_uid ON mails (uid);
CREATE INDEX mails_address ON mails (address_key, id);
CREATE INDEX mails_due ON mails (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX mails_over ON mails (created_at) WHERE next_at IS NULL;
