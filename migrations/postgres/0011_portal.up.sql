INSERT INTO schema_support (version, oldest_binary) VALUES (11, '0.1.0');

-- Where an app's people find its logo, and read what they agree to.
ALTER TABLE clients ADD COLUMN logo_uri TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN policy_uri TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN terms_uri TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Who manages an app beside its owner.
CREATE TABLE client_members (
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id   TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    added_at  BIGINT NOT NULL,
    PRIMARY KEY (client_id, user_id)
);

CREATE INDEX client_members_user ON client_members (user_id, client_id);

-- Requests of apps that were refused, for those who manage the app. Never holds
-- a secret.
CREATE TABLE client_failures (
    id         BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client_id  TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    at         BIGINT NOT NULL,
    kind       TEXT COLLATE "C" NOT NULL,
    got        TEXT COLLATE "C" NOT NULL,
    expected   TEXT COLLATE "C" NOT NULL,
    times      BIGINT NOT NULL,
    request_id TEXT COLLATE "C" NOT NULL,
    address    TEXT COLLATE "C" NOT NULL
);

CREATE INDEX client_failures_client ON client_failures (client_id, id);
CREATE INDEX client_failures_at ON client_failures (at);

-- Links that work once: the token in them is kept as a hash. Setting up has no
-- user yet.
CREATE TABLE one_time_links (
    hash       BYTEA NOT NULL PRIMARY KEY,
    purpose    TEXT COLLATE "C" NOT NULL,
    user_id    TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
    expires_at BIGINT NOT NULL
);

CREATE INDEX one_time_links_user ON one_time_links (user_id, purpose);
CREATE INDEX one_time_links_expiry ON one_time_links (expires_at);

-- Groups of people of the whole server: what the scope groups tells. Those of
-- hubs are apart.
CREATE TABLE user_groups (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name        TEXT COLLATE "C" NOT NULL,
    name_key    TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL
);

CREATE UNIQUE INDEX user_groups_name ON user_groups (name_key);

CREATE TABLE user_group_members (
    group_id TEXT COLLATE "C" NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    user_id  TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
);

CREATE INDEX user_group_members_user ON user_group_members (user_id);
