INSERT INTO schema_support (version, oldest_binary) VALUES (49, '0.1.0');

-- Who is asked to manage an app, by what was typed. user_id is who has the user
-- name; an address has whoever shows that it is theirs.
CREATE TABLE client_invitations (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    client_id   TEXT COLLATE "C" NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    invitee     TEXT COLLATE "C" NOT NULL,
    invitee_key TEXT COLLATE "C" NOT NULL,
    user_id     TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
    invited_by  TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);

CREATE UNIQUE INDEX client_invitations_client ON client_invitations (client_id, invitee_key);
CREATE INDEX client_invitations_invitee ON client_invitations (invitee_key);
CREATE INDEX client_invitations_user ON client_invitations (user_id);
CREATE INDEX client_invitations_by ON client_invitations (invited_by);
CREATE INDEX client_invitations_expiry ON client_invitations (expires_at);
