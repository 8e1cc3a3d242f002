INSERT INTO schema_support (version, oldest_binary) VALUES (37, '0.1.0');

-- Keys that people's devices keep for this server (Web Authentication). What the
-- device calls the key is the credential; counter is what it said last.
CREATE TABLE passkeys (
    id           TEXT NOT NULL PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    credential   BLOB NOT NULL,
    public_key   BLOB NOT NULL,
    counter      INTEGER NOT NULL,
    label        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER
) STRICT;

CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential);
CREATE INDEX passkeys_by_user ON passkeys (user_id);
