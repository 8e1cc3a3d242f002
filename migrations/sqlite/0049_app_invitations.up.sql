INSERT INTO schema_support (version, oldest_binary) VALUES (49, '0.1.0');

-- Who is asked to manage an app, by what was typed. user_id is who has the user
-- name; an address has whoever shows that it is theirs.
CREATE TABLE client_invitations (
    id          TEXT NOT NULL PRIMARY KEY,
    client_id   TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    invitee     TEXT NOT NULL,
    invitee_key TEXT NOT NULL,
    user_id     TEXT REFERENCES users (id) ON DELETE SET NULL,
    invited_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX client_invitations_client ON client_invitations (client_id, invitee_key);
CREATE INDEX client_invitations_invitee ON client_invitations (invitee_key);
CREATE INDEX client_invitations_user ON client_invitations (user_id);
CREATE INDEX client_invitations_by ON client_invitations (invited_by);
CREATE INDEX client_invitations_expiry ON client_invitations (expires_at);
