ALTER TABLE objects DROP COLUMN crc32;
DELETE FROM schema_support WHERE version = 50;
