DROP INDEX transmittal_people_user;
DROP INDEX transmittals_sender;
DELETE FROM schema_support WHERE version = 67;
