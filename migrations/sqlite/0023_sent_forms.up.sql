INSERT INTO schema_support (version, oldest_binary) VALUES (23, '0.1.0');

-- Forms of pages that were sent, and what came of them.
CREATE TABLE sent_forms (
    key        BLOB NOT NULL PRIMARY KEY,
    at         INTEGER NOT NULL,
    to_path    TEXT NOT NULL,
    page       BLOB,
    page_until INTEGER,
    shown      INTEGER NOT NULL CHECK (shown IN (0, 1))
) STRICT;

CREATE INDEX sent_forms_age ON sent_forms (at);
CREATE INDEX sent_forms_pages ON sent_forms (page_until) WHERE page IS NOT NULL;
