-- Which program may use the schema as a migration left it: the oldest binary
-- version that can. One row per applied migration.
CREATE TABLE schema_support (
    version       INTEGER NOT NULL PRIMARY KEY,
    oldest_binary TEXT NOT NULL
) STRICT;

INSERT INTO schema_support (version, oldest_binary) VALUES (1, '0.1.0');

-- People. The *_key columns hold the folded form that look-ups and uniqueness
-- go by; profile is a JSON object.
CREATE TABLE users (
    id              TEXT NOT NULL PRIMARY KEY,
    email           TEXT NOT NULL,
    email_key       TEXT NOT NULL,
    email_verified  INTEGER NOT NULL CHECK (email_verified IN (0, 1)),
    username        TEXT NOT NULL,
    username_key    TEXT,
    name_key        TEXT NOT NULL,
    admin           INTEGER NOT NULL CHECK (admin IN (0, 1)),
    disabled        INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    two_factor      INTEGER NOT NULL CHECK (two_factor IN (0, 1)),
    password_hash   TEXT NOT NULL,
    profile         TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    last_sign_in_at INTEGER
) STRICT;

CREATE UNIQUE INDEX users_email_key ON users (email_key);
CREATE UNIQUE INDEX users_username_key ON users (username_key);
CREATE INDEX users_enabled_admins ON users (id) WHERE admin AND NOT disabled;
