INSERT INTO schema_support (version, oldest_binary) VALUES (6, '0.1.0');

-- Machine identities of clients. name_key holds the folded form that
-- uniqueness goes by.
CREATE TABLE service_accounts (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    client_id   TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    created_by  TEXT COLLATE "C" NOT NULL,
    name        TEXT COLLATE "C" NOT NULL,
    name_key    TEXT COLLATE "C" NOT NULL,
    email       TEXT COLLATE "C" NOT NULL,
    status      TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    accessed_at BIGINT,
    expires_at  BIGINT NOT NULL
);

CREATE UNIQUE INDEX service_accounts_name ON service_accounts (client_id, name_key);
CREATE INDEX service_accounts_creator ON service_accounts (created_by);
CREATE INDEX service_accounts_expiry ON service_accounts (expires_at) WHERE status = 'ENABLED';

-- Public halves only: the private ones are never kept.
CREATE TABLE service_account_keys (
    kid         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id  TEXT COLLATE "C" NOT NULL REFERENCES service_accounts (id) ON DELETE CASCADE,
    public      BYTEA NOT NULL,
    status      TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    accessed_at BIGINT
);

CREATE INDEX service_account_keys_account ON service_account_keys (account_id);

-- Assertions that were used, until they would have expired anyway. They go by
-- their time, so they need no reference to their client.
CREATE TABLE assertion_ids (
    client_id  TEXT COLLATE "C" NOT NULL,
    jti        TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (client_id, jti)
);

CREATE INDEX assertion_ids_expiry ON assertion_ids (expires_at);
