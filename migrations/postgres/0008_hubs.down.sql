DROP TABLE project_members;
DROP TABLE projects;
DROP TABLE app_access_users;
DROP TABLE app_access;
DROP TABLE group_members;
DROP TABLE hub_groups;
DROP TABLE hub_members;
DROP TABLE hubs;
DELETE FROM schema_support WHERE version = 8;
