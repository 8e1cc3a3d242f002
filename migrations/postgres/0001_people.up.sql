-- Which program may use the schema as a migration left it: the oldest binary
-- version that can. One row per applied migration.
CREATE TABLE schema_support (
    version       BIGINT NOT NULL PRIMARY KEY,
    oldest_binary TEXT COLLATE "C" NOT NULL
);

INSERT INTO schema_support (version, oldest_binary) VALUES (1, '0.1.0');

-- People. The *_key columns hold the folded form that look-ups and uniqueness
-- go by; profile is a JSON object.
CREATE TABLE users (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    email           TEXT COLLATE "C" NOT NULL,
    email_key       TEXT COLLATE "C" NOT NULL,
    email_verified  BOOLEAN NOT NULL,
    username        TEXT COLLATE "C" NOT NULL,
    username_key    TEXT COLLATE "C",
    name_key        TEXT COLLATE "C" NOT NULL,
    admin           BOOLEAN NOT NULL,
    disabled        BOOLEAN NOT NULL,
    two_factor      BOOLEAN NOT NULL,
    password_hash   TEXT COLLATE "C" NOT NULL,
    profile         TEXT COLLATE "C" NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    last_sign_in_at BIGINT
);

CREATE UNIQUE INDEX users_email_key ON users (email_key);
CREATE UNIQUE INDEX users_username_key ON users (username_key);
CREATE INDEX users_enabled_admins ON users (id) WHERE admin AND NOT disabled;
