INSERT INTO schema_support (version, oldest_binary) VALUES (63, '0.1.0');

-- How much was used in an hour or a day: of an app, or of the whole server where there is
-- none. The crowd is what people are counted by, and says of nobody who they are; it goes
-- when nobody can come late any more, and the number stays.
CREATE TABLE usage_counts (
    id        BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    client_id TEXT COLLATE "C" REFERENCES clients (id) ON DELETE CASCADE,
    span      TEXT COLLATE "C" NOT NULL,
    began     BIGINT NOT NULL,
    sign_ins  BIGINT NOT NULL,
    people    BIGINT NOT NULL,
    tokens    BIGINT NOT NULL,
    refused   BIGINT NOT NULL,
    failed    BIGINT NOT NULL,
    crowd     TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX usage_counts_of ON usage_counts (coalesce(client_id, ''), span, began);
CREATE INDEX usage_counts_client ON usage_counts (client_id);
CREATE INDEX usage_counts_began ON usage_counts (span, began);
CREATE INDEX usage_counts_crowd ON usage_counts (began) WHERE crowd <> '';
