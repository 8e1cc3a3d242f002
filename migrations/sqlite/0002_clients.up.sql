INSERT INTO schema_support (version, oldest_binary) VALUES (2, '0.1.0');

-- Client applications. Lists are JSON arrays: they are read and written whole.
CREATE TABLE clients (
    id                        TEXT NOT NULL PRIMARY KEY,
    name                      TEXT NOT NULL,
    type                      TEXT NOT NULL,
    profile                   TEXT NOT NULL,
    owner_user_id             TEXT NOT NULL,
    redirect_uris             TEXT NOT NULL,
    post_logout_redirect_uris TEXT NOT NULL,
    origins                   TEXT NOT NULL,
    scopes                    TEXT NOT NULL,
    backchannel_logout_uri    TEXT NOT NULL,
    require_pkce              INTEGER NOT NULL CHECK (require_pkce IN (0, 1)),
    first_party               INTEGER NOT NULL CHECK (first_party IN (0, 1)),
    internal                  INTEGER NOT NULL CHECK (internal IN (0, 1)),
    disabled                  INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    created_at                INTEGER NOT NULL,
    updated_at                INTEGER NOT NULL
) STRICT;

CREATE INDEX clients_owner ON clients (owner_user_id, id);

-- Live secrets. The ordinal grows with each secret of a client: times alone
-- could tie.
CREATE TABLE client_secrets (
    id           TEXT NOT NULL PRIMARY KEY,
    client_id    TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    ordinal      INTEGER NOT NULL,
    hash         BLOB NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER
) STRICT;

CREATE UNIQUE INDEX client_secrets_client ON client_secrets (client_id, ordinal);
