DROP TABLE archive_pages;
DROP TABLE archives;
DELETE FROM schema_support WHERE version = 52;
