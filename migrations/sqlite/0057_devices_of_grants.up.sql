INSERT INTO schema_support (version, oldest_binary) VALUES (57, '0.1.0');

-- From where the device asked that a person let in elsewhere; empty: they signed in where the app is.
ALTER TABLE authorize_codes ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN device TEXT NOT NULL DEFAULT '';
