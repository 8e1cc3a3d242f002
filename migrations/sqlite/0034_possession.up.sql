INSERT INTO schema_support (version, oldest_binary) VALUES (34, '0.1.0');

-- Tokens that count only for who has a key or a certificate, and clients that have no others.
ALTER TABLE authorize_codes ADD COLUMN proof_key TEXT NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN proof_key TEXT NOT NULL DEFAULT '';
ALTER TABLE grants ADD COLUMN certificate TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN proof_needed INTEGER NOT NULL DEFAULT 0 CHECK (proof_needed IN (0, 1));
ALTER TABLE clients ADD COLUMN certificate_needed INTEGER NOT NULL DEFAULT 0 CHECK (certificate_needed IN (0, 1));
ALTER TABLE clients ADD COLUMN certificate_field TEXT NOT NULL DEFAULT '';
ALTER TABLE clients ADD COLUMN certificate_name TEXT NOT NULL DEFAULT '';
