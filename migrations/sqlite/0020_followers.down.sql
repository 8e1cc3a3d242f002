DROP INDEX twin_documents_client;
DROP INDEX twin_documents_user;
DELETE FROM schema_support WHERE version = 20;
