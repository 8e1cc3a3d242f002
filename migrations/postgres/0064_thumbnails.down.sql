DROP TABLE thumbnails;
DELETE FROM schema_support WHERE version = 64;
