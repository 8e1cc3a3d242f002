package commands

import (
	"context"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/storage"
)

func (e *Env) printGroup(asJSON bool, g storage.Group) error {
	if asJSON {
		return e.printJSON(administration.NewGroupJSON(g))
	}
	e.printRows([]row{{"id", g.ID}, {"hub", g.HubID}, {"name", g.Name}})
	return nil
}

func (e *Env) printGroups(asJSON bool, groups []storage.Group) error {
	return printList(e, asJSON, "groups", "ID NAME", groups, administration.NewGroupJSON, func(g storage.Group) []string {
		return []string{g.ID, g.Name}
	})
}

func (e *Env) printPeople(ctx context.Context, asJSON bool, rules *administration.Rules, ids []string) error {
	names, err := rules.Names(ctx, ids)
	if err != nil {
		return err
	}
	toJSON := func(id string) administration.PersonJSON { return administration.PersonJSON{ID: id, Name: names[id]} }
	return printList(e, asJSON, "members", "ID NAME", ids, toJSON,
		func(id string) []string { return []string{id, names[id]} })
}

func (e *Env) printGrant(asJSON bool, rules *administration.Rules, g storage.FolderGrant) error {
	shown := rules.GrantJSON(g, nil)
	if asJSON {
		return e.printJSON(shown)
	}
	e.printRows([]row{{"id", shown.ID}, {"kind", shown.Kind}, {"folder", shown.Folder}, {"level", shown.Level}})
	return nil
}

func (e *Env) printGrants(ctx context.Context, asJSON bool, rules *administration.Rules,
	grants []storage.FolderGrant) error {
	var users []string
	for _, g := range grants {
		if g.UserID != "" {
			users = append(users, g.UserID)
		}
	}
	names, err := rules.Names(ctx, users)
	if err != nil {
		return err
	}
	toJSON := func(g storage.FolderGrant) administration.GrantJSON { return rules.GrantJSON(g, names) }
	return printList(e, asJSON, "grants", "ID KIND LEVEL NAME", grants, toJSON, func(g storage.FolderGrant) []string {
		shown := toJSON(g)
		return []string{shown.ID, shown.Kind, shown.Level, shown.Name}
	})
}

// reasonJSON is one thing that a level follows from.
type reasonJSON struct {
	Because string `json:"because"` // hub-admin, project-admin, user or group
	Level   string `json:"level"`
	Group   string `json:"group,omitempty"`
	Folder  string `json:"folder,omitempty"`
	Name    string `json:"folder_name,omitempty"`
}

func toReasonJSON(rules *administration.Rules) func(storage.AccessReason) reasonJSON {
	return func(r storage.AccessReason) reasonJSON {
		switch {
		case r.HubAdmin:
			return reasonJSON{Because: "hub-admin", Level: level.Name(storage.LevelControl)}
		case r.ProjectAdmin:
			return reasonJSON{Because: "project-admin", Level: level.Name(storage.LevelControl)}
		}
		why := reasonJSON{"user", level.Name(r.Grant.Level), r.GroupName, rules.FolderURN(r.Grant.FolderID), r.FolderName}
		if r.Grant.GroupID != "" {
			why.Because = "group"
		}
		return why
	}
}

func (e *Env) printReasons(asJSON bool, rules *administration.Rules, user string, effective storage.Level,
	reasons []storage.AccessReason) error {
	shown := make([]reasonJSON, len(reasons))
	table := make([][]string, len(reasons))
	for i, r := range reasons {
		why := toReasonJSON(rules)(r)
		shown[i], table[i] = why, []string{why.Level, why.Because, why.Group, why.Name, why.Folder}
	}
	if asJSON {
		return e.printJSON(map[string]any{"id": user, "level": level.Name(effective), "reasons": shown})
	}
	e.printf("%s: %s\n", user, level.Name(effective))
	if len(reasons) > 0 {
		e.printTable("LEVEL BECAUSE GROUP FOLDER-NAME FOLDER", table)
	}
	return nil
}
