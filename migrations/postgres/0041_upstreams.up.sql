INSERT INTO schema_support (version, oldest_binary) VALUES (41, '0.1.0');

-- Providers and directories that vouch for people. What the kind needs is JSON in
-- config; the secret is sealed.
CREATE TABLE upstreams (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind       TEXT COLLATE "C" NOT NULL,
    name       TEXT COLLATE "C" NOT NULL,
    disabled   BOOLEAN NOT NULL,
    position   BIGINT NOT NULL,
    domains    TEXT COLLATE "C" NOT NULL,
    exclusive  BOOLEAN NOT NULL,
    config     TEXT COLLATE "C" NOT NULL,
    secret     BYTEA,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- What an upstream knows a person by.
CREATE TABLE upstream_identities (
    upstream_id TEXT COLLATE "C" NOT NULL REFERENCES upstreams (id) ON DELETE CASCADE,
    issuer      TEXT COLLATE "C" NOT NULL,
    subject     TEXT COLLATE "C" NOT NULL,
    user_id     TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email       TEXT COLLATE "C" NOT NULL,
    linked_at   BIGINT NOT NULL,
    last_at     BIGINT,
    ended_at    BIGINT,
    PRIMARY KEY (upstream_id, issuer, subject)
);

CREATE INDEX upstream_identities_user ON upstream_identities (user_id);

-- Visits to an upstream under way.
CREATE TABLE upstream_attempts (
    state_hash  BYTEA NOT NULL PRIMARY KEY,
    upstream_id TEXT COLLATE "C" NOT NULL REFERENCES upstreams (id) ON DELETE CASCADE,
    browser     BYTEA NOT NULL,
    user_id     TEXT COLLATE "C" NOT NULL,
    session_id  TEXT COLLATE "C" NOT NULL,
    request     TEXT COLLATE "C" NOT NULL,
    next        TEXT COLLATE "C" NOT NULL,
    expires_at  BIGINT NOT NULL
);

CREATE INDEX upstream_attempts_upstream ON upstream_attempts (upstream_id);
CREATE INDEX upstream_attempts_expiry ON upstream_attempts (expires_at);

-- Which groups there are which here.
CREATE TABLE upstream_groups (
    upstream_id TEXT COLLATE "C" NOT NULL REFERENCES upstreams (id) ON DELETE CASCADE,
    external    TEXT COLLATE "C" NOT NULL,
    group_id    TEXT COLLATE "C" NOT NULL REFERENCES user_groups (id) ON DELETE CASCADE,
    PRIMARY KEY (upstream_id, external, group_id)
);

CREATE INDEX upstream_groups_group ON upstream_groups (group_id);

-- Who has put a person into a group: empty stands for people.
ALTER TABLE user_group_members ADD COLUMN source TEXT COLLATE "C" NOT NULL DEFAULT '';

-- What a sign-in, and all that came of it, rests on: empty stands for nothing but
-- the person; upstream_sid is what the upstream calls its own session.
ALTER TABLE login_sessions ADD COLUMN upstream_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE login_sessions ADD COLUMN upstream_sid TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE authorize_codes ADD COLUMN upstream_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN upstream_id TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX login_sessions_upstream ON login_sessions (upstream_id) WHERE upstream_id <> '';
CREATE INDEX authorize_codes_upstream ON authorize_codes (upstream_id) WHERE upstream_id <> '';
CREATE INDEX grants_upstream ON grants (upstream_id) WHERE upstream_id <> '';
