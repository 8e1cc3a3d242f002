package demo

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"iter"
	"slices"

	"github.com/portico-id/portico/cmd/portico/internal/demotree"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Ids of the demo content, the same on every server.
const (
	HubID      = "b.d0000000-0000-4000-8000-000000000001"
	TowerID    = "b.d0000000-0000-4000-8000-000000000011" // the project with folders and items
	BridgeID   = "b.d0000000-0000-4000-8000-000000000012" // the other one
	HubAdmin   = "DEMOHUBADMIN2222"
	ProjAdmin  = "DEMOPROJADMIN222"
	Editor     = "DEMOEDITOR222222"
	DeepViewer = "DEMODEEPVIEWER22"
	Outsider   = "DEMOOUTSIDER2222"
)

const (
	hubName   = "Example Works"
	towerName = "Riverside Tower"
)

// Shown is what the page of a signed-in person tells of the demo.
func Shown() *templates.DemoContent {
	return &templates.DemoContent{
		Hub: hubName, HubID: HubID, Project: towerName,
		Path: "/project/v1/hubs/" + HubID + "/projects/" + TowerID + "/topFolders",
	}
}

// person is one of the demo people, named by role, with what they see.
type person struct{ id, email, name, sees string }

func cast() []person {
	return []person{
		{HubAdmin, "hub-admin@example.test", "Hub Admin", "administers the hub and both projects"},
		{ProjAdmin, "project-admin@example.test", "Project Admin", "administers " + towerName},
		{Editor, "editor@example.test", "Editor", "edits what is below Project Files of " + towerName +
			", and shares its folder " + SharedFolder},
		{DeepViewer, "deep-viewer@example.test", "Deep Viewer", "sees the folder " + DeepViewFolder +
			" and what is below it"},
		{Outsider, "outsider@example.test", "Outsider", "is in the hub and sees no project"},
	}
}

// ID returns the short id of the demo thing with the name.
func ID(name string) string {
	digest := sha256.Sum256([]byte("portico demo " + name))
	return base64.RawURLEncoding.EncodeToString(digest[:16])
}

// Names of things whose ids others look up by ID.
const (
	ProjectFiles   = "Riverside Tower/Project Files"
	HiddenFolder   = "Old drafts"
	DeepestFolder  = "Level 25"
	DeepViewFolder = "Level 20" // what the deep viewer may see
	SharedFolder   = "Handover" // which the editor may share
	ReservedItem   = "item 0"
)

// content sees to people, hub, projects, folders and items. What is there
// already stays as it is; only the client may be another one than before. Begun is what
// an earlier start did not bring to its end.
func (o Options) content(ctx context.Context, s sheet, begun bool) error {
	change := storage.Change{Act: o.act()}
	if err := o.castPeople(ctx, s.password); err != nil {
		return err
	}
	_, err := o.Data.FindHub(ctx, HubID)
	if begun || fault.Is(err, fault.NotFound) {
		s.hub, s.project = "", ""
		err = s.write()
		if err == nil {
			err = o.build(ctx, change)
		}
	}
	if err != nil {
		return err
	}
	if err := o.Data.SetMember(ctx, change,
		administration.Membership{HubID: HubID, UserID: s.userID, Admin: true}); err != nil {
		return err
	}
	_, err = o.Data.ProvisionApp(ctx, change, storage.AppAccess{
		HubID: HubID, ClientID: s.clientID, Level: storage.LevelControl, Users: storage.AppForMembers,
	})
	return err
}

// castPeople adds the demo people, who sign in with the password of the sheet.
func (o Options) castPeople(ctx context.Context, password string) error {
	for _, p := range cast() {
		user, err := o.Store.FindUser(ctx, p.id)
		if err == nil && !o.renewed {
			continue
		}
		if fault.Is(err, fault.NotFound) {
			user = storage.User{
				ID: p.id, Email: p.email, EmailVerified: true, Profile: storage.Profile{Name: p.name},
				CreatedAt: o.Ambient.Now(), UpdatedAt: o.Ambient.Now(),
			}
			err = o.Store.CreateUser(ctx, o.act(), user, "")
		}
		if err != nil {
			return err
		}
		if err := o.People.SetPassword(ctx, o.act(), user, password, ""); err != nil {
			return err
		}
	}
	return nil
}

// build makes hub, projects and what is in them, as far as they are missing.
func (o Options) build(ctx context.Context, change storage.Change) error {
	_, err := o.Data.CreateHub(ctx, change, administration.NewHub{ID: HubID, Name: hubName})
	if unlessThere(err) != nil {
		return err
	}
	for id, name := range map[string]string{TowerID: towerName, BridgeID: "North Bridge"} {
		_, err := o.Data.CreateProject(ctx, change, administration.NewProject{
			ID: id, HubID: HubID, Name: name, RootID: ID(name + "/root"),
			TopIDs: administration.TopFolderID{Files: ID(name + "/Project Files"), Plans: ID(name + "/Plans")},
		})
		if unlessThere(err) != nil {
			return err
		}
	}
	folders := demoFolders(change)
	tree := storage.BulkTree{Folders: slices.Values(folders), Items: demoItems(change, len(folders))}
	err = o.Data.LoadTree(ctx, change, TowerID, ID(ProjectFiles), tree) // all of it, or nothing
	if unlessThere(err) != nil {
		return err
	}
	for _, step := range []func(context.Context, storage.Change) error{
		o.hideAndReserve, o.giveRights, o.bringPapers, o.sendPapers, o.showPapers,
	} {
		if err := step(ctx, change); err != nil {
			return err
		}
	}
	return nil
}

// unlessThere passes over that something is there already.
func unlessThere(err error) error {
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// demoFolders returns folders of six disciplines, one that is to be hidden, and
// a chain down to the deepest level.
func demoFolders(change storage.Change) []storage.BulkFolder {
	var all []storage.BulkFolder
	add := func(name string, parent int) int {
		all = append(all, storage.BulkFolder{ID: ID(name), Parent: parent, Name: name,
			CreatedAt: change.At, CreatedBy: Editor})
		return len(all) - 1
	}
	for _, discipline := range []string{"Architecture", "Structure", "Electrical", "Plumbing", "Landscape", SharedFolder} {
		top := add(discipline, -1)
		for _, part := range []string{"Drawings", "Reports", "Schedules", "Photos"} {
			add(discipline+" "+part, top)
		}
	}
	add(HiddenFolder, -1)
	parent := -1
	for level := 2; level <= storage.MaxDepth; level++ { // "Project Files" is level 1
		parent = add(fmt.Sprintf("Level %02d", level), parent)
	}
	for level := range 5 {
		add(fmt.Sprintf("Floor %d", level+1), 0)
	}
	return all
}

const demoItemCount = 300

func demoItems(change storage.Change, folders int) iter.Seq[storage.BulkItem] {
	return func(yield func(storage.BulkItem) bool) {
		kinds, words := demotree.Kinds(), demotree.FileWords()
		for i := range demoItemCount {
			kind, word := kinds[i%len(kinds)], words[i%len(words)]
			item := storage.BulkItem{
				ID: ID(fmt.Sprintf("item %d", i)), Folder: i % folders, Name: fmt.Sprintf("%s %03d.%s", word, i, kind.Ending),
				CreatedAt: change.At, CreatedBy: Editor, Versions: 1 + i%demotree.MostVersions,
				MimeType: kind.MIME, FileType: kind.Ending,
			}
			if !yield(item) {
				return
			}
		}
	}
}

func (o Options) hideAndReserve(ctx context.Context, change storage.Change) error {
	hide := true
	_, err := o.Store.UpdateFolder(ctx, change, TowerID, ID(HiddenFolder), storage.FolderPatch{Hidden: &hide})
	if err != nil {
		return err
	}
	change.Caller.UserID = Editor
	_, err = o.Store.ReserveItem(ctx, change, TowerID, ID(ReservedItem))
	return err
}

// giveRights makes the demo people what they are called.
func (o Options) giveRights(ctx context.Context, change storage.Change) error {
	for _, m := range []administration.Membership{
		{HubID: HubID, UserID: HubAdmin, Admin: true},
		{ProjectID: TowerID, UserID: ProjAdmin, Admin: true},
		{ProjectID: TowerID, UserID: Editor},
		{HubID: HubID, UserID: Outsider},
	} {
		if err := o.Data.SetMember(ctx, change, m); err != nil {
			return err
		}
	}
	for _, g := range []storage.FolderGrant{
		{FolderID: ID(ProjectFiles), UserID: Editor, Level: storage.LevelEdit},
		{FolderID: ID(SharedFolder), UserID: Editor, Level: storage.LevelControl},
		{FolderID: ID(DeepViewFolder), UserID: DeepViewer, Level: storage.LevelView},
	} {
		if err := o.Data.SetGrant(ctx, change, TowerID, g); err != nil {
			return err
		}
	}
	return nil
}
