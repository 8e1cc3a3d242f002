INSERT INTO schema_support (version, oldest_binary) VALUES (39, '0.1.0');

-- Whose server it is: one row, or none.
CREATE TABLE brand (
    id          INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    name        TEXT NOT NULL,
    support_url TEXT NOT NULL,
    terms_url   TEXT NOT NULL,
    privacy_url TEXT NOT NULL,
    imprint_url TEXT NOT NULL,
    color       TEXT NOT NULL,
    color_dark  TEXT NOT NULL,
    logo_hash   TEXT NOT NULL,
    logo        BLOB NOT NULL
) STRICT;
