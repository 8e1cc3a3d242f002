package dataapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Types of resources of permissions, and what can have them.
const (
	typePermissions = "permissions"
	typeEffective   = "effectivePermissions"

	subjectUser  = "user"
	subjectGroup = "group"
)

type permissionAttributes struct {
	Level       string `json:"level"`
	Subject     string `json:"subject"` // user or group
	SubjectID   string `json:"subjectId"`
	SubjectName string `json:"subjectName"`
}

// ListPermissions serves GET …/folders/{folder_id}/permissions: what was given
// in this very folder. It is for those who may give.
func (h *Handler) ListPermissions(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain(typePermissions).Parse(r)
	if err != nil {
		return err
	}
	at, err := h.find.ReachFolder(r)
	if err != nil {
		return err
	}
	if !access.MayGive(at.Standing) {
		return fault.New(fault.Forbidden, access.ReasonNoRight, "Only who may control the folder sees who has rights in it.")
	}
	grants, err := h.store.ListFolderGrants(r.Context(), at.Project.ID, at.Folder.ID)
	if err != nil {
		return err
	}
	resources, err := h.permissions(r.Context(), at.Hub.ID, grants)
	if err != nil {
		return err
	}
	address := h.tell.FolderURL(at.Project.ID, at.Folder.ID) + "/permissions"
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: q.Self(address), Data: resources})
}

func (h *Handler) permissions(ctx context.Context, hubID string,
	grants []storage.FolderGrant) ([]jsonapi.Resource, error) {
	users := make([]string, len(grants))
	for i, g := range grants {
		users[i] = g.UserID
	}
	shown, err := h.tell.Show(ctx, nil, users...)
	if err != nil {
		return nil, err
	}
	groups, err := h.store.ListGroups(ctx, hubID)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		shown.Names[group.ID] = group.Name
	}
	resources := make([]jsonapi.Resource, len(grants))
	for i, g := range grants {
		a := permissionAttributes{Level: level.Name(g.Level), Subject: subjectUser, SubjectID: g.UserID}
		if g.GroupID != "" {
			a.Subject, a.SubjectID = subjectGroup, g.GroupID
		}
		a.SubjectName = shown.Names[a.SubjectID]
		resources[i] = jsonapi.Resource{Type: typePermissions, ID: a.Subject + ":" + a.SubjectID, Attributes: a}
	}
	return resources, nil
}

type effectiveAttributes struct {
	Level   string         `json:"level"`
	User    string         `json:"userId"`
	Reasons []accessReason `json:"reasons"`
}

// accessReason is one thing that a level follows from. Where it was given on a
// folder that the reader can't see, it only says that it is inherited.
type accessReason struct {
	Role       string `json:"role,omitempty"` // hub-admin or project-admin
	Level      string `json:"level"`
	GroupID    string `json:"groupId,omitempty"`
	GroupName  string `json:"groupName,omitempty"`
	Inherited  bool   `json:"inherited"`
	FolderID   string `json:"folderId,omitempty"`
	FolderName string `json:"folderName,omitempty"`
}

const textUser = "user"

// GetEffectivePermission serves GET …/folders/{folder_id}/permissions/effective:
// what a user may do there, and why. Whoever reads the folder may ask for
// themselves, and who may give rights for others.
func (h *Handler) GetEffectivePermission(w http.ResponseWriter, r *http.Request) error {
	q, err := jsonapi.Rules{Types: []string{typeEffective}, Texts: []string{textUser}}.Parse(r)
	if err != nil {
		return err
	}
	at, err := h.find.ReachFolder(r)
	if err != nil {
		return err
	}
	user, err := askedFor(at.Standing, q)
	if err != nil {
		return err
	}
	attributes, err := h.effective(r.Context(), at, user)
	if err != nil {
		return err
	}
	address := h.tell.FolderURL(at.Project.ID, at.Folder.ID) + "/permissions/effective"
	resource := jsonapi.Resource{Type: typeEffective, ID: user, Attributes: attributes}
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: q.Self(address), Data: &resource})
}

// askedFor returns the user whose rights are wanted.
func askedFor(s storage.Standing, q jsonapi.Query) (string, error) {
	user, given := q.Text(textUser)
	switch {
	case !given && s.Caller.UserID == "":
		return "", fault.New(fault.Invalid, jsonapi.ReasonInvalid, "Name the user, as the app acts by itself.").At(textUser)
	case !given:
		return s.Caller.UserID, nil
	case user != s.Caller.UserID && !access.MayGive(s):
		return "", fault.New(fault.Forbidden, access.ReasonNoRight,
			"Only who may control the folder sees what others may do in it.")
	}
	return user, nil
}

func (h *Handler) effective(ctx context.Context, at access.Spot, user string) (effectiveAttributes, error) {
	theirs, _, err := h.store.FindFolder(ctx, storage.Caller{UserID: user}, at.Project.ID, at.Folder.ID)
	if err != nil {
		return effectiveAttributes{}, fault.OrAbsent(err, "folder")
	}
	reasons, err := h.store.ExplainAccess(ctx, user, at.Project.ID, at.Folder.ID)
	if err != nil {
		return effectiveAttributes{}, fault.OrAbsent(err, "folder")
	}
	shown, err := h.find.ShownOnWay(ctx, at)
	if err != nil {
		return effectiveAttributes{}, fault.OrAbsent(err, "folder")
	}
	a := effectiveAttributes{Level: level.Name(theirs.Standing.Level()), User: user, Reasons: []accessReason{}}
	for _, reason := range reasons {
		a.Reasons = append(a.Reasons, reasonOf(h.tell.URN, reason, at.Folder.ID, shown))
	}
	return a, nil
}

func reasonOf(s urn.Space, r storage.AccessReason, folderID string, shown []string) accessReason {
	switch {
	case r.HubAdmin:
		return accessReason{Role: "hub-admin", Level: level.Name(storage.LevelControl)}
	case r.ProjectAdmin:
		return accessReason{Role: "project-admin", Level: level.Name(storage.LevelControl)}
	}
	why := accessReason{
		Level: level.Name(r.Grant.Level), GroupID: r.Grant.GroupID, GroupName: r.GroupName,
		Inherited: r.Grant.FolderID != folderID,
	}
	if slices.Contains(shown, r.Grant.FolderID) {
		why.FolderID, why.FolderName = s.Folder(r.Grant.FolderID), r.FolderName
	}
	return why
}
