INSERT INTO schema_support (version, oldest_binary) VALUES (23, '0.1.0');

-- Forms of pages that were sent, and what came of them.
CREATE TABLE sent_forms (
    key        BYTEA NOT NULL PRIMARY KEY,
    at         BIGINT NOT NULL,
    to_path    TEXT COLLATE "C" NOT NULL,
    page       BYTEA,
    page_until BIGINT,
    shown      BOOLEAN NOT NULL
);

CREATE INDEX sent_forms_age ON sent_forms (at);
CREATE INDEX sent_forms_pages ON sent_forms (page_until) WHERE page IS NOT NULL;
