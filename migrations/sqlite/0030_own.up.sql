INSERT INTO schema_support (version, oldest_binary) VALUES (30, '0.1.0');

-- The hash of the picture of a person, and the picture in several sizes.
ALTER TABLE users ADD COLUMN portrait TEXT NOT NULL DEFAULT '';

CREATE TABLE user_portraits (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    side    INTEGER NOT NULL,
    hash    TEXT NOT NULL,
    picture BLOB NOT NULL,
    PRIMARY KEY (user_id, side)
) STRICT;

CREATE INDEX user_portraits_hash ON user_portraits (hash, side);

-- What somebody added, for their archive.
CREATE INDEX versions_creator ON versions (created_by, item_id, number);
