INSERT INTO schema_support (version, oldest_binary) VALUES (39, '0.1.0');

-- Whose server it is: one row, or none.
CREATE TABLE brand (
    id          INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    name        TEXT COLLATE "C" NOT NULL,
    support_url TEXT COLLATE "C" NOT NULL,
    terms_url   TEXT COLLATE "C" NOT NULL,
    privacy_url TEXT COLLATE "C" NOT NULL,
    imprint_url TEXT COLLATE "C" NOT NULL,
    color       TEXT COLLATE "C" NOT NULL,
    color_dark  TEXT COLLATE "C" NOT NULL,
    logo_hash   TEXT COLLATE "C" NOT NULL,
    logo        BYTEA NOT NULL
);
