INSERT INTO schema_support (version, oldest_binary) VALUES (6, '0.1.0');

-- Machine identities of clients. name_key holds the folded form that
-- uniqueness goes by.
CREATE TABLE service_accounts (
    id          TEXT NOT NULL PRIMARY KEY,
    client_id   TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    created_by  TEXT NOT NULL,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL,
    email       TEXT NOT NULL,
    status      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    accessed_at INTEGER,
    expires_at  INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX service_accounts_name ON service_accounts (client_id, name_key);
CREATE INDEX service_accounts_creator ON service_accounts (created_by);
CREATE INDEX service_accounts_expiry ON service_accounts (expires_at) WHERE status = 'ENABLED';

-- Public halves only: the private ones are never kept.
CREATE TABLE service_account_keys (
    kid         TEXT NOT NULL PRIMARY KEY,
    account_id  TEXT NOT NULL REFERENCES service_accounts (id) ON DELETE CASCADE,
    public      BLOB NOT NULL,
    status      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    accessed_at INTEGER
) STRICT;

CREATE INDEX service_account_keys_account ON service_account_keys (account_id);

-- Assertions that were used, until they would have expired anyway. They go by
-- their time, so they need no reference to their client.
CREATE TABLE assertion_ids (
    client_id  TEXT NOT NULL,
    jti        TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (client_id, jti)
) STRICT, WITHOUT ROWID;

CREATE INDEX assertion_ids_expiry ON assertion_ids (expires_at);
