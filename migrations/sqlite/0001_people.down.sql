DROP TABLE users;
DROP TABLE schema_support;
