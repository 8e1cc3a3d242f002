INSERT INTO schema_support (version, oldest_binary) VALUES (50, '0.1.0');

-- crc32 is what an archive says of the bytes, most significant byte first. NULL: nobody has read them since.
ALTER TABLE objects ADD COLUMN crc32 BLOB;
