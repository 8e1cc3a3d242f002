DROP INDEX items_stated;
ALTER TABLE items DROP COLUMN tip_revision;
ALTER TABLE items DROP COLUMN tip_suitability;
ALTER TABLE items DROP COLUMN tip_state;
ALTER TABLE items DROP COLUMN tip_stated;
DELETE FROM schema_support WHERE version = 62;
