INSERT INTO schema_support (version, oldest_binary) VALUES (34, '0.1.0');

-- Tokens that count only for who has a key or a certificate, and clients that have no others.
ALTER TABLE authorize_codes ADD COLUMN proof_key TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN proof_key TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN certificate TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN proof_needed BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE clients ADD COLUMN certificate_needed BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE clients ADD COLUMN certificate_field TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN certificate_name TEXT COLLATE "C" NOT NULL DEFAULT '';
