package transmittals

import "github.com/portico-id/portico/storage"

// enabledWho is whether n.user_id is an account that is enabled.
const enabledWho = `(EXISTS (SELECT 1 FROM users u WHERE u.id = n.user_id AND NOT u.disabled)
		OR EXISTS (SELECT 1 FROM service_accounts a WHERE a.id = n.user_id AND a.status = 'ENABLED'))`

// What is asked of many people at once. It is what the room of hubs asks of one.
const (
	// How they stand in the project, whatever is granted to them.
	selectStandings = `
WITH n (user_id, project_id) AS (%s)
SELECT n.user_id, ` + enabledWho + ` AS user_enabled, hm.user_id IS NOT NULL AS hub_member,
	coalesce(hm.admin, false) AS hub_admin, coalesce(pm.admin, false) AS project_admin
FROM n JOIN projects p ON p.id = n.project_id
	LEFT JOIN hub_members hm ON hm.hub_id = p.hub_id AND hm.user_id = n.user_id
	LEFT JOIN project_members pm ON pm.project_id = p.id AND pm.user_id = n.user_id`

	// What is granted to them, or to a group that they are in.
	selectGrants = `
WITH n (user_id, project_id) AS (%s), me (user_id, project_id, id) AS (
	SELECT user_id, project_id, user_id FROM n
	UNION ALL SELECT n.user_id, n.project_id, m.group_id FROM n JOIN group_members m ON m.user_id = n.user_id)
SELECT me.user_id, fp.path, g.level
FROM me JOIN folder_grants g ON g.grantee = me.id AND g.project_id = me.project_id
	JOIN folder_paths fp ON fp.folder_id = g.folder_id`

	// Who is in groups.
	selectMembers = `
WITH i (group_id) AS (%s)
SELECT n.group_id, n.user_id FROM i JOIN group_members n ON n.group_id = i.group_id WHERE ` + enabledWho
)

// standingRow is how somebody stands in the project.
type standingRow struct {
	UserID string
	storage.Standing
}

// grantRow is what somebody is granted somewhere.
type grantRow struct {
	UserID, Path string
	Level        storage.Level
}

// memberRow is that somebody is in a group.
type memberRow struct{ GroupID, UserID string }
