INSERT INTO schema_support (version, oldest_binary) VALUES (43, '0.1.0');

-- What access tokens are for. Lists are JSON, clients and client_id are ids of
-- clients; lifetime and max_age are nanoseconds, 0 for none.
CREATE TABLE resources (
    id             TEXT NOT NULL PRIMARY KEY,
    identifier     TEXT NOT NULL,
    match_key      TEXT NOT NULL,
    name           TEXT NOT NULL,
    name_key       TEXT NOT NULL,
    scopes         TEXT NOT NULL,
    default_scopes TEXT NOT NULL,
    everyone       INTEGER NOT NULL CHECK (everyone IN (0, 1)),
    clients        TEXT NOT NULL,
    client_id      TEXT NOT NULL,
    algorithm      TEXT NOT NULL,
    lifetime       INTEGER NOT NULL,
    proof_needed   INTEGER NOT NULL CHECK (proof_needed IN (0, 1)),
    acr            TEXT NOT NULL,
    max_age        INTEGER NOT NULL,
    disabled       INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    tokens_from    INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX resources_match ON resources (match_key);

-- Which of them a person was asked about; none: the server's own APIs.
ALTER TABLE authorize_codes ADD COLUMN resources TEXT NOT NULL DEFAULT '[]';
ALTER TABLE grants ADD COLUMN resources TEXT NOT NULL DEFAULT '[]';

-- What a client is given that names no scope, for which resources it may exchange
-- tokens (RFC 8693), and whether it may pass for the person then.
ALTER TABLE clients ADD COLUMN default_scopes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE clients ADD COLUMN exchange_for TEXT NOT NULL DEFAULT '[]';
ALTER TABLE clients ADD COLUMN impersonates INTEGER NOT NULL DEFAULT 0 CHECK (impersonates IN (0, 1));
