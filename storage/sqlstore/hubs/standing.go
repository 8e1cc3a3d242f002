package hubs

import (
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// StandingRow is what a query gathers about a caller.
type StandingRow struct{ storage.Standing }

// Parts of queries over hub h with the app's access a, for a caller.
const (
	// The app may act for the user (J12); always so when the user came by
	// themselves.
	actsFor = `(NOT :on_behalf OR a.users = 'all-members' OR a.users = 'listed' AND EXISTS (
		SELECT 1 FROM app_access_users l
		WHERE l.hub_id = a.hub_id AND l.client_id = a.client_id AND l.user_id = :user_id))`

	userEnabled = `(EXISTS (SELECT 1 FROM users WHERE id = :user_id AND NOT disabled)
		OR EXISTS (SELECT 1 FROM service_accounts WHERE id = :user_id AND status = 'ENABLED'))`

	HubStanding = `
	coalesce(a.level, 0) AS app_level, a.hub_id IS NOT NULL AND ` + actsFor + ` AS app_acts_for,
	` + userEnabled + ` AS user_enabled, hm.user_id IS NOT NULL AS hub_member, coalesce(hm.admin, false) AS hub_admin`

	JoinHubStanding = `
LEFT JOIN app_access a ON a.hub_id = h.id AND a.client_id = :client_id
LEFT JOIN hub_members hm ON hm.hub_id = h.id AND hm.user_id = :user_id`

	// Over project p, besides.
	projectStanding = HubStanding + `, coalesce(pm.admin, false) AS project_admin,
	pm.user_id IS NOT NULL OR ` + isGrantedIn + ` AS in_project`

	isGrantedIn = `EXISTS (SELECT 1 FROM folder_grants g WHERE g.grantee = :user_id AND g.project_id = p.id)
		OR EXISTS (SELECT 1 FROM group_members m JOIN folder_grants g ON g.grantee = m.group_id AND g.project_id = p.id
			WHERE m.user_id = :user_id)`

	joinProjectStanding = JoinHubStanding + `
LEFT JOIN project_members pm ON pm.project_id = p.id AND pm.user_id = :user_id`

	// Whose grants count for the user.
	Grantees = `(SELECT cast(:user_id AS text) AS id UNION ALL SELECT group_id FROM group_members WHERE user_id = :user_id)`

	// The way up from a folder, and the highest levels granted on it, and on it
	// without the folder. The inner query names the folder. Parents are asked for one by one: PostgreSQL
	// would rather read a whole table of a thousand folders at each step.
	WayUp = `
WITH RECURSIVE up (id, parent_id, above) AS (
	SELECT b.id, b.parent_id, 0 FROM folders b WHERE `
	WayUpEnd = `
	UNION ALL
	SELECT up.parent_id, (SELECT b.parent_id FROM folders b WHERE b.id = up.parent_id), 1
	FROM up WHERE up.parent_id IS NOT NULL
)`
	Granted = `granted.level AS granted, granted.above AS granted_above`

	// As it is materialized, it is asked once a folder instead of once for each of the two levels.
	JoinGranted = `
CROSS JOIN (
	WITH w AS MATERIALIZED (SELECT up.above, ` + GrantedThere + ` AS level FROM up)
	SELECT coalesce(max(w.level), 0) AS level, coalesce(max(w.level * w.above), 0) AS above FROM w) granted`

	// Asked folder by folder, so that no engine ever reads all grants.
	GrantedThere = `(
		SELECT max(g.level) FROM ` + Grantees + ` me
		JOIN folder_grants g ON g.folder_id = up.id AND g.grantee = me.id)`
)

// CallerArgs are the parameters of a query about a caller.
func CallerArgs(caller storage.Caller) engine.Args {
	return engine.Args{"client_id": caller.ClientID, "user_id": caller.UserID, "on_behalf": caller.OnBehalf}
}

// Of is what it means for the caller.
func (r StandingRow) Of(caller storage.Caller) storage.Standing {
	standing := r.Standing
	standing.Caller, standing.AppActsFor = caller, standing.AppActsFor || !caller.OnBehalf
	if caller.ClientID == "" {
		standing.AppLevel, standing.AppActsFor = storage.LevelControl, true
	}
	if caller.UserID == "" {
		standing.UserEnabled = true
	}
	return standing
}
