INSERT INTO schema_support (version, oldest_binary) VALUES (33, '0.1.0');

-- Whether an app is only for those who are named for it.
ALTER TABLE clients ADD COLUMN restricted BOOLEAN NOT NULL DEFAULT FALSE;

-- For whom it is then: groups of the server, and people.
CREATE TABLE client_groups (
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    group_id  TEXT COLLATE "C" NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    PRIMARY KEY (client_id, group_id)
);

CREATE INDEX client_groups_group ON client_groups (group_id);

CREATE TABLE client_users (
    client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    user_id   TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (client_id, user_id)
);

CREATE INDEX client_users_user ON client_users (user_id);
