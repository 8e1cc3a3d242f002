INSERT INTO schema_support (version, oldest_binary) VALUES (20, '0.1.0');

-- In whose name documents follow their originals.
CREATE INDEX twin_documents_user ON twin_documents (by_user);
CREATE INDEX twin_documents_client ON twin_documents (by_client);
