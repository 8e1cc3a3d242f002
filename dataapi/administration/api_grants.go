package administration

import (
	"net/http"

	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// GrantJSON is what somebody, or a group, was given in a folder.
type GrantJSON struct {
	ID     string `json:"id"`   // the user's or group's
	Kind   string `json:"kind"` // user or group
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Level  string `json:"level"`
}

// grantees resolves the people and groups of grants.
func (a *API) grantees(r *http.Request, e errand,
	grants []storage.FolderGrant) (func(storage.FolderGrant) GrantJSON, error) {
	var ids []string
	for _, g := range grants {
		if g.UserID != "" {
			ids = append(ids, g.UserID)
		}
	}
	names, err := a.rules.Names(r.Context(), ids)
	if err != nil {
		return nil, err
	}
	groups, err := a.rules.ListGroups(r.Context(), e.place.Hub.ID)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		names[group.ID] = group.Name
	}
	return func(g storage.FolderGrant) GrantJSON { return a.rules.GrantJSON(g, names) }, nil
}

// GrantJSON tells of what was given, with the names of who has it.
func (a *Rules) GrantJSON(g storage.FolderGrant, names map[string]string) GrantJSON {
	kind, id := FieldUser, g.UserID
	if g.GroupID != "" {
		kind, id = FieldGroup, g.GroupID
	}
	return GrantJSON{id, kind, names[id], a.FolderURN(g.FolderID), level.Name(g.Level)}
}

// listGrants serves GET
// /admin/v1/projects/{projectId}/folders/{folderId}/grants: what was given in
// this very folder.
func (a *API) listGrants(w http.ResponseWriter, r *http.Request, e errand) error {
	grants, err := a.rules.ListGrants(r.Context(), e.place.Project.ID, e.folder.ID)
	if err != nil {
		return err
	}
	shown, err := a.grantees(r, e, grants)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(grants, "", shown))
}

// grants is the operations on what people were given, or on what groups were.
type grants struct {
	api      *API
	variable string
	set      func(g *storage.FolderGrant, id string)
}

func (a *API) userGrants() grants {
	return grants{a, userVariable, func(g *storage.FolderGrant, id string) { g.UserID = id }}
}

func (a *API) groupGrants() grants {
	return grants{a, groupVariable, func(g *storage.FolderGrant, id string) { g.GroupID = id }}
}

// one is an operation on the grant in the path.
func (g grants) one(do func(w http.ResponseWriter, r *http.Request, e errand,
	grant storage.FolderGrant) error) adminapi.Operation {
	return g.api.inFolder(func(w http.ResponseWriter, r *http.Request, e errand) error {
		id, err := httpio.PathID(r, g.variable)
		if err != nil {
			return err
		}
		grant := storage.FolderGrant{FolderID: e.folder.ID}
		g.set(&grant, id)
		return do(w, r, e, grant)
	})
}

// show serves GET …/{userId} and …/{groupId}.
func (g grants) show(w http.ResponseWriter, r *http.Request, e errand, wanted storage.FolderGrant) error {
	grants, err := g.api.rules.ListGrants(r.Context(), e.place.Project.ID, e.folder.ID)
	if err != nil {
		return err
	}
	for _, grant := range grants {
		if grant.UserID == wanted.UserID && grant.GroupID == wanted.GroupID {
			return g.answer(w, r, e, grant)
		}
	}
	return fault.Absent("grant")
}

func (g grants) answer(w http.ResponseWriter, r *http.Request, e errand, grant storage.FolderGrant) error {
	shown, err := g.api.grantees(r, e, []storage.FolderGrant{grant})
	if err != nil {
		return err
	}
	return adminapi.OK(w, shown(grant))
}

// put serves PUT …/{userId} and …/{groupId}: it gives a level, or changes it.
func (g grants) put(w http.ResponseWriter, r *http.Request, e errand, grant storage.FolderGrant) error {
	var body struct {
		Level string `json:"level"`
	}
	err := httpio.ReadJSON(w, r, &body)
	if err != nil {
		return err
	}
	if grant.Level, err = level.Parse(body.Level, FieldLevel); err != nil {
		return err
	}
	if err := g.api.rules.GrantFor(r.Context(), e.who, e.place, e.change, grant); err != nil {
		return err
	}
	return g.answer(w, r, e, grant)
}

// remove serves DELETE …/{userId} and …/{groupId}.
func (g grants) remove(w http.ResponseWriter, r *http.Request, e errand, grant storage.FolderGrant) error {
	if err := g.api.rules.RemoveGrant(r.Context(), e.change, e.place.Project.ID, grant); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// effectiveJSON is what somebody may do in a folder, and what it follows from.
type effectiveJSON struct {
	ID      string       `json:"id"` // the user's
	Level   string       `json:"level"`
	Reasons []reasonJSON `json:"reasons"`
}

type reasonJSON struct {
	Because    string `json:"because"` // hub-admin, project-admin, user or group
	Level      string `json:"level"`
	GroupID    string `json:"group_id,omitempty"`
	Group      string `json:"group,omitempty"`
	Folder     string `json:"folder,omitempty"` // absent where the caller may not know it
	FolderName string `json:"folder_name,omitempty"`
}

// showEffective serves GET
// /admin/v1/projects/{projectId}/folders/{folderId}/effective?user=…
func (a *API) showEffective(w http.ResponseWriter, r *http.Request, e errand) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	if query.Get(FieldUser) == "" {
		return fault.New(fault.Invalid, httpio.ReasonInvalidRequest, "Name the user by id or by address.").At(FieldUser)
	}
	id, err := a.rules.MemberFor(r.Context(), e.who, e.place, query.Get(FieldUser))
	if err != nil {
		return err
	}
	effective, reasons, err := a.rules.Explain(r.Context(), e.place.Project.ID, e.folder.ID, id)
	if err != nil {
		return err
	}
	body := effectiveJSON{ID: id, Level: level.Name(effective), Reasons: []reasonJSON{}}
	for _, reason := range reasons {
		body.Reasons = append(body.Reasons, a.newReasonJSON(reason, e))
	}
	return adminapi.OK(w, body)
}

func (a *API) newReasonJSON(reason storage.AccessReason, e errand) reasonJSON {
	switch {
	case reason.HubAdmin:
		return reasonJSON{Because: "hub-admin", Level: level.Name(storage.LevelControl)}
	case reason.ProjectAdmin:
		return reasonJSON{Because: "project-admin", Level: level.Name(storage.LevelControl)}
	}
	why := reasonJSON{Because: FieldUser, Level: level.Name(reason.Grant.Level), GroupID: reason.Grant.GroupID,
		Group: reason.GroupName}
	if why.GroupID != "" {
		why.Because = FieldGroup
	}
	// Who only gives rights here need not see the folders above.
	if reason.Grant.FolderID == e.folder.ID || e.who.project(e.place) {
		why.Folder, why.FolderName = a.rules.FolderURN(reason.Grant.FolderID), reason.FolderName
	}
	return why
}
