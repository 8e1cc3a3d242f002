DROP INDEX objects_infected;
DROP INDEX objects_scan_due;
ALTER TABLE objects DROP COLUMN finding;
ALTER TABLE objects DROP COLUMN scan_due;
ALTER TABLE objects DROP COLUMN scan;
DELETE FROM schema_support WHERE version = 19;
