INSERT INTO schema_support (version, oldest_binary) VALUES (59, '0.1.0');

-- With what an upstream is asked whether somebody is still there, sealed, when it was
-- asked last, and when it said so last.
CREATE TABLE upstream_rechecks (
    upstream_id TEXT NOT NULL,
    issuer      TEXT NOT NULL,
    subject     TEXT NOT NULL,
    token       BLOB NOT NULL,
    asked_at    INTEGER NOT NULL,
    told_at     INTEGER NOT NULL,
    PRIMARY KEY (upstream_id, issuer, subject),
    FOREIGN KEY (upstream_id, issuer, subject)
        REFERENCES upstream_identities (upstream_id, issuer, subject) ON DELETE CASCADE
) STRICT;
