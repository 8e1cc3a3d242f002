INSERT INTO schema_support (version, oldest_binary) VALUES (2, '0.1.0');

-- Client applications. Lists are JSON arrays: they are read and written whole.
CREATE TABLE clients (
    id                        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name                      TEXT COLLATE "C" NOT NULL,
    type                      TEXT COLLATE "C" NOT NULL,
    profile                   TEXT COLLATE "C" NOT NULL,
    owner_user_id             TEXT COLLATE "C" NOT NULL,
    redirect_uris             TEXT COLLATE "C" NOT NULL,
    post_logout_redirect_uris TEXT COLLATE "C" NOT NULL,
    origins                   TEXT COLLATE "C" NOT NULL,
    scopes                    TEXT COLLATE "C" NOT NULL,
    backchannel_logout_uri    TEXT COLLATE "C" NOT NULL,
    require_pkce              BOOLEAN NOT NULL,
    first_party               BOOLEAN NOT NULL,
    internal                  BOOLEAN NOT NULL,
    disabled                  BOOLEAN NOT NULL,
    created_at                BIGINT NOT NULL,
    updated_at                BIGINT NOT NULL
);

CREATE INDEX clients_owner ON clients (owner_user_id, id);

-- Live secrets. The ordinal grows with each secret of a client: times alone
-- could tie.
CREATE TABLE client_secrets (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    client_id    TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    ordinal      BIGINT NOT NULL,
    hash         BYTEA NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT
);

CREATE UNIQUE INDEX client_secrets_client ON client_secrets (client_id, ordinal);
