INSERT INTO schema_support (version, oldest_binary) VALUES (12, '0.1.0');

-- Requests that carry a key and were carried out, and what came of them.
CREATE TABLE done_requests (
    key         TEXT NOT NULL PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    subject     TEXT NOT NULL,
    number      INTEGER NOT NULL,
    at          INTEGER NOT NULL
) STRICT;

CREATE INDEX done_requests_age ON done_requests (at);
