DROP TABLE client_invitations;
DELETE FROM schema_support WHERE version = 49;
