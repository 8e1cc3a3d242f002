INSERT INTO schema_support (version, oldest_binary) VALUES (19, '0.1.0');

-- scan is how far the search for viruses in the bytes has come; empty: nobody
-- asked for one. scan_due: when somebody is to look at them (again). finding is
-- what was found in infected bytes.
ALTER TABLE objects ADD COLUMN scan TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE objects ADD COLUMN scan_due BIGINT;
ALTER TABLE objects ADD COLUMN finding TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX objects_scan_due ON objects (scan_due) WHERE scan_due IS NOT NULL;
CREATE INDEX objects_infected ON objects (bucket, object_key) WHERE scan = 'infected';
