INSERT INTO schema_support (version, oldest_binary) VALUES (12, '0.1.0');

-- Requests that carry a key and were carried out, and what came of them.
CREATE TABLE done_requests (
    key         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    fingerprint TEXT COLLATE "C" NOT NULL,
    subject     TEXT COLLATE "C" NOT NULL,
    number      BIGINT NOT NULL,
    at          BIGINT NOT NULL
);

CREATE INDEX done_requests_age ON done_requests (at);
