INSERT INTO schema_support (version, oldest_binary) VALUES (11, '0.1.0');

-- Where an app's people find its logo, and read what they agree to.
ALTER TABLE clients ADD COLUMN logo_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN policy_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN terms_uri TEXT NOT NULL DEFAULT '';

-- Who manages an app beside its owner.
CREATE TABLE client_members (
    client_id TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    added_at  INTEGER NOT NULL,
    PRIMARY KEY (client_id, user_id)
) STRICT;

CREATE INDEX client_members_user ON client_members (user_id, client_id);

-- Requests of apps that were refused, for those who manage the app. Never holds
-- a secret.
CREATE TABLE client_failures (
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id  TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    at         INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    got        TEXT NOT NULL,
    expected   TEXT NOT NULL,
    times      INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    address    TEXT NOT NULL
) STRICT;

CREATE INDEX client_failures_client ON client_failures (client_id, id);
CREATE INDEX client_failures_at ON client_failures (at);

-- Links that work once: the token in them is kept as a hash. Setting up has no
-- user yet.
CREATE TABLE one_time_links (
    hash       BLOB NOT NULL PRIMARY KEY,
    purpose    TEXT NOT NULL,
    user_id    TEXT REFERENCES users (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX one_time_links_user ON one_time_links (user_id, purpose);
CREATE INDEX one_time_links_expiry ON one_time_links (expires_at);

-- Groups of people of the whole server: what the scope groups tells. Those of
-- hubs are apart.
CREATE TABLE user_groups (
    id          TEXT NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL,
    description TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX user_groups_name ON user_groups (name_key);

CREATE TABLE user_group_members (
    group_id TEXT NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
) STRICT;

CREATE INDEX user_group_members_user ON user_group_members (user_id);
