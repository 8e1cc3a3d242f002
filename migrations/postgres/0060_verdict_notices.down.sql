DROP TRIGGER user_group_members_notice ON user_group_members;
DROP TRIGGER client_groups_notice ON client_groups;
DROP TRIGGER client_users_notice ON client_users;
DROP TRIGGER users_notice ON users;
DROP TRIGGER revocations_notice ON revocations;
DROP TRIGGER grants_notice ON grants;
DELETE FROM schema_support WHERE version = 60;
