DROP TABLE transmittal_fetches;
DROP TABLE transmittal_people;
DROP TABLE transmittal_versions;
DROP TABLE transmittals;
DELETE FROM schema_support WHERE version = 65;
