INSERT INTO schema_support (version, oldest_binary) VALUES (63, '0.1.0');

-- How much was used in an hour or a day: of an app, or of the whole server where there is
-- none. The crowd is what people are counted by, and says of nobody who they are; it goes
-- when nobody can come late any more, and the number stays.
CREATE TABLE usage_counts (
    id        INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    client_id TEXT REFERENCES clients (id) ON DELETE CASCADE,
    span      TEXT NOT NULL,
    began     INTEGER NOT NULL,
    sign_ins  INTEGER NOT NULL,
    people    INTEGER NOT NULL,
    tokens    INTEGER NOT NULL,
    refused   INTEGER NOT NULL,
    failed    INTEGER NOT NULL,
    crowd     TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX usage_counts_of ON usage_counts (coalesce(client_id, ''), span, began);
CREATE INDEX usage_counts_client ON usage_counts (client_id);
CREATE INDEX usage_counts_began ON usage_counts (span, began);
CREATE INDEX usage_counts_crowd ON usage_counts (began) WHERE crowd <> '';
