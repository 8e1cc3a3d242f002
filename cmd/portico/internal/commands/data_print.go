package commands

import (
	"context"
	"strings"
	"time"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/storage"
)

func (e *Env) printHub(asJSON bool, h storage.Hub) error {
	if asJSON {
		return e.printJSON(administration.NewHubJSON(h))
	}
	e.printRows([]row{
		{"id", h.ID}, {"name", h.Name}, {"region", h.Region}, {"active", yesNo(h.Active)}, {"created", moment(h.CreatedAt)},
	})
	return nil
}

func (e *Env) printHubs(asJSON bool, hubs []storage.Hub) error {
	return printList(e, asJSON, "hubs", "ID NAME REGION ACTIVE", hubs, administration.NewHubJSON,
		func(h storage.Hub) []string {
			return []string{h.ID, h.Name, h.Region, yesNo(h.Active)}
		})
}

func (e *Env) printProject(asJSON bool, rules *administration.Rules, p storage.Project) error {
	if asJSON {
		return e.printJSON(rules.ProjectJSON(p))
	}
	e.printRows([]row{
		{"id", p.ID}, {"hub", p.HubID}, {"name", p.Name}, {"active", yesNo(p.Active)}, {"archived", yesNo(p.Archived)},
		{"root folder", rules.FolderURN(p.RootFolderID)}, {"created", moment(p.CreatedAt)},
	})
	return nil
}

func (e *Env) printProjects(asJSON bool, rules *administration.Rules, projects []storage.Project) error {
	return printList(e, asJSON, "projects", "ID NAME ACTIVE ARCHIVED", projects, rules.ProjectJSON,
		func(p storage.Project) []string {
			return []string{p.ID, p.Name, yesNo(p.Active), yesNo(p.Archived)}
		})
}

type appAccessJSON struct {
	ID      string   `json:"id"`
	HubID   string   `json:"hub_id"`
	Level   string   `json:"level"`
	Users   string   `json:"users"`
	UserIDs []string `json:"user_ids,omitempty"`
}

func toAppAccessJSON(a storage.AppAccess) appAccessJSON {
	return appAccessJSON{a.ClientID, a.HubID, level.Name(a.Level), string(a.Users), a.UserIDs}
}

func (e *Env) printAppAccess(asJSON bool, a storage.AppAccess) error {
	if asJSON {
		return e.printJSON(toAppAccessJSON(a))
	}
	e.printRows([]row{
		{"client_id", a.ClientID}, {"hub", a.HubID}, {"level", level.Name(a.Level)}, {"acts for", string(a.Users)},
		{"users", strings.Join(a.UserIDs, "\n")},
	})
	return nil
}

func (e *Env) printAppAccesses(asJSON bool, apps []storage.AppAccess) error {
	return printList(e, asJSON, "apps", "CLIENT_ID LEVEL ACTS-FOR NAME", apps, toAppAccessJSON,
		func(a storage.AppAccess) []string {
			return []string{a.ClientID, level.Name(a.Level), string(a.Users), a.ClientName}
		})
}

type memberJSON struct {
	ID      string     `json:"id"`
	Name    string     `json:"name,omitempty"`
	Role    string     `json:"role"`
	AddedAt *time.Time `json:"added_at,omitempty"`

	Invitation *invitation `json:"invitation,omitempty"`
}

func (e *Env) printMember(asJSON bool, m administration.Membership, link *invitation) error {
	role := administration.RoleName(m.Admin)
	if asJSON {
		return e.printJSON(memberJSON{ID: m.UserID, Role: role, Invitation: link})
	}
	e.printRows([]row{{"id", m.UserID}, {"hub", m.HubID}, {"project", m.ProjectID}, {"role", role}})
	if link != nil && link.URL == "" {
		e.note("The invitation was mailed. It works until %s.", moment(link.Until))
	} else if link != nil {
		e.printRows([]row{{"invitation", link.URL}})
		e.note("The link works once, until %s: hand it to the person.", moment(link.Until))
	}
	return nil
}

func (e *Env) printMembers(ctx context.Context, asJSON bool, rules *administration.Rules,
	members []storage.Member) error {
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.UserID
	}
	names, err := rules.Names(ctx, ids)
	if err != nil {
		return err
	}
	toJSON := func(m storage.Member) memberJSON {
		return memberJSON{ID: m.UserID, Name: names[m.UserID], Role: administration.RoleName(m.Admin),
			AddedAt: adminapi.Moment(m.AddedAt)}
	}
	return printList(e, asJSON, "members", "ID ROLE NAME", members, toJSON, func(m storage.Member) []string {
		return []string{m.UserID, administration.RoleName(m.Admin), names[m.UserID]}
	})
}
