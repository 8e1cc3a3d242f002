INSERT INTO schema_support (version, oldest_binary) VALUES (43, '0.1.0');

-- What access tokens are for. Lists are JSON, clients and client_id are ids of
-- clients; lifetime and max_age are nanoseconds, 0 for none.
CREATE TABLE resources (
    id             TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    identifier     TEXT COLLATE "C" NOT NULL,
    match_key      TEXT COLLATE "C" NOT NULL,
    name           TEXT COLLATE "C" NOT NULL,
    name_key       TEXT COLLATE "C" NOT NULL,
    scopes         TEXT COLLATE "C" NOT NULL,
    default_scopes TEXT COLLATE "C" NOT NULL,
    everyone       BOOLEAN NOT NULL,
    clients        TEXT COLLATE "C" NOT NULL,
    client_id      TEXT COLLATE "C" NOT NULL,
    algorithm      TEXT COLLATE "C" NOT NULL,
    lifetime       BIGINT NOT NULL,
    proof_needed   BOOLEAN NOT NULL,
    acr            TEXT COLLATE "C" NOT NULL,
    max_age        BIGINT NOT NULL,
    disabled       BOOLEAN NOT NULL,
    tokens_from    BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL
);

CREATE UNIQUE INDEX resources_match ON resources (match_key);

CREATE TRIGGER resources_notice AFTER INSERT OR UPDATE OR DELETE ON resources
    FOR EACH STATEMENT EXECUTE FUNCTION portico_notice();

-- Which of them a person was asked about; none: the server's own APIs.
ALTER TABLE authorize_codes ADD COLUMN resources TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE grants ADD COLUMN resources TEXT COLLATE "C" NOT NULL DEFAULT '[]';

-- What a client is given that names no scope, for which resources it may exchange
-- tokens (RFC 8693), and whether it may pass for the person then.
ALTER TABLE clients ADD COLUMN default_scopes TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE clients ADD COLUMN exchange_for TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE clients ADD COLUMN impersonates BOOLEAN NOT NULL DEFAULT FALSE;
