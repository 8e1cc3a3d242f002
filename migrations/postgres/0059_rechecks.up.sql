INSERT INTO schema_support (version, oldest_binary) VALUES (59, '0.1.0');

-- With what an upstream is asked whether somebody is still there, sealed, when it was
-- asked last, and when it said so last.
CREATE TABLE upstream_rechecks (
    upstream_id TEXT COLLATE "C" NOT NULL,
    issuer      TEXT COLLATE "C" NOT NULL,
    subject     TEXT COLLATE "C" NOT NULL,
    token       BYTEA NOT NULL,
    asked_at    BIGINT NOT NULL,
    told_at     BIGINT NOT NULL,
    PRIMARY KEY (upstream_id, issuer, subject),
    FOREIGN KEY (upstream_id, issuer, subject)
        REFERENCES upstream_identities (upstream_id, issuer, subject) ON DELETE CASCADE
);
