package administration

import (
	"cmp"
	"context"
	"slices"

	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// NewProject is a project to be created.
type NewProject struct {
	ID     string // empty: a new one
	HubID  string
	Name   string
	RootID string      // likewise
	TopIDs TopFolderID // likewise
}

// TopFolderID is the ids of the folders that every project begins with.
type TopFolderID struct {
	Files, Plans string
}

// namePlans is the second folder that every project begins with, beside
// storage.FilesName (decision J17).
const namePlans = "Plans"

// projectType is the wire's projectType.
const projectType = "ACC"

// CreateProject adds an active project with its first two folders, which are
// there when it returns. Invalid, with the field; NotFound for an absent hub.
func (a *Rules) CreateProject(ctx context.Context, change storage.Change, wanted NewProject) (storage.Project, error) {
	name, err := setup.Name(wanted.Name, FieldName)
	if err != nil {
		return storage.Project{}, err
	}
	project := storage.Project{
		ID: cmp.Or(wanted.ID, "b."+a.ambient.UUID()), HubID: wanted.HubID, Name: name, Type: projectType, Active: true,
		Extension:    storage.Extension{Type: a.urn.ProjectType(), Version: urn.ExtensionVersion},
		RootFolderID: cmp.Or(wanted.RootID, a.ambient.UID()), CreatedAt: change.At, UpdatedAt: change.At,
	}
	like := storage.Extension{Type: a.urn.FolderType(), Version: urn.ExtensionVersion}
	top := []storage.Folder{
		{ID: cmp.Or(wanted.TopIDs.Files, a.ambient.UID()), Name: storage.FilesName,
			Kind: storage.FolderFiles, Extension: like},
		{ID: cmp.Or(wanted.TopIDs.Plans, a.ambient.UID()), Name: namePlans, Kind: storage.FolderPlans, Extension: like},
	}
	return project, fault.OrAbsent(a.store.CreateProject(ctx, change, project, top), FieldHub)
}

// ListProjects returns the hub's projects, inactive ones too, ordered by name.
// NotFound for an absent hub.
func (a *Rules) ListProjects(ctx context.Context, hubID string) ([]storage.Project, error) {
	if _, err := a.FindHub(ctx, hubID); err != nil {
		return nil, err
	}
	return storage.EveryPage(func(page storage.PageRequest) ([]storage.Project, string, error) {
		return a.PageProjects(ctx, hubID, page)
	})
}

// PageProjects returns a page of what ListProjects returns, none of an absent
// hub, and the next cursor.
func (a *Rules) PageProjects(ctx context.Context, hubID string,
	page storage.PageRequest) ([]storage.Project, string, error) {
	at := storage.DataPage{After: page.After, Limit: page.Limit}
	return a.store.ListProjects(ctx, storage.Caller{}, hubID, storage.ProjectQuery{Inactive: true}, at)
}

// FindProject returns the project, or NotFound.
func (a *Rules) FindProject(ctx context.Context, id string) (storage.Project, error) {
	place, err := a.store.FindProject(ctx, storage.Caller{}, id)
	return place.Project, fault.OrAbsent(err, FieldProject)
}

// PatchProject changes all that the patch says of the project, or nothing. Invalid,
// with the field; NotFound; Locked while others rearrange what is to be archived.
func (a *Rules) PatchProject(ctx context.Context, change storage.Change, id string,
	patch storage.ProjectPatch) (storage.Project, error) {
	if patch.Name != nil {
		name, err := setup.Name(*patch.Name, FieldName)
		if err != nil {
			return storage.Project{}, err
		}
		patch.Name = &name
	}
	if err := a.store.PatchProject(ctx, change, id, patch); err != nil {
		return storage.Project{}, fault.OrAbsent(err, FieldProject)
	}
	return a.FindProject(ctx, id)
}

// RenameProject gives the project a name. Invalid, with the field; NotFound.
func (a *Rules) RenameProject(ctx context.Context, change storage.Change, id, name string) (storage.Project, error) {
	return a.PatchProject(ctx, change, id, storage.ProjectPatch{Name: &name})
}

// FindTopFolder returns the project's top folder of the kind, or NotFound.
func (a *Rules) FindTopFolder(ctx context.Context, projectID, kind string) (storage.Folder, error) {
	place, err := a.store.FindProject(ctx, storage.Caller{}, projectID)
	if err != nil {
		return storage.Folder{}, fault.OrAbsent(err, FieldProject)
	}
	top, err := a.store.ListTopFolders(ctx, place, storage.TopQuery{WithHidden: true})
	if err != nil {
		return storage.Folder{}, err
	}
	i := slices.IndexFunc(top, func(f storage.Folder) bool { return f.Kind == kind })
	if i < 0 {
		return storage.Folder{}, fault.Absent(FieldFolder)
	}
	return top[i], nil
}

// ListFolders returns folders that lie in that of the project's files, by name, at most
// limit, and the one with the uid, wherever that lies.
func (a *Rules) ListFolders(ctx context.Context, projectID, uid string, limit int) ([]storage.Folder, error) {
	top, err := a.FindTopFolder(ctx, projectID, storage.FolderFiles)
	if err != nil {
		return nil, err
	}
	found, err := a.store.ListContents(ctx, projectID, top.ID, storage.ContentsQuery{NoItems: true},
		storage.DataPage{Limit: limit})
	folders := found.Folders
	if err != nil || uid == "" || slices.ContainsFunc(folders, func(f storage.Folder) bool { return f.ID == uid }) {
		return folders, err
	}
	_, one, err := a.store.FindFolder(ctx, storage.Caller{}, projectID, uid)
	if fault.Is(err, fault.NotFound) {
		return folders, nil
	}
	return append(folders, one), err
}

// SetProjectActive activates or deactivates the project. NotFound.
func (a *Rules) SetProjectActive(ctx context.Context, change storage.Change, id string,
	active bool) (storage.Project, error) {
	return a.PatchProject(ctx, change, id, storage.ProjectPatch{Active: &active})
}

// ArchiveProject archives the project, in which nothing changes then, or
// reopens it. NotFound.
func (a *Rules) ArchiveProject(ctx context.Context, change storage.Change, id string,
	archived bool) (storage.Project, error) {
	return a.PatchProject(ctx, change, id, storage.ProjectPatch{Archived: &archived})
}

// LoadTree fills the folder into of the project with our kinds of folders and
// items, all or nothing. NotFound, Conflict and Locked as storage.BulkStore has
// them.
func (a *Rules) LoadTree(ctx context.Context, change storage.Change, projectID, into string,
	tree storage.BulkTree) error {
	tree.Into = into
	tree.FolderType, tree.ItemType, tree.VersionType = a.urn.FolderType(), a.urn.ItemType(), a.urn.VersionType()
	return fault.OrAbsent(a.store.LoadTree(ctx, change, projectID, tree), FieldProject)
}
