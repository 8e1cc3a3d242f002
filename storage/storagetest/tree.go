package storagetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// treeCheck is one sentence of the data half's contract and the test of it.
type treeCheck struct {
	sentence string
	test     func(*Tree)
}

// Tree is a World with an active hub and a project in it, with the folders
// Project Files and Plans.
type Tree struct {
	*World
	Data    storage.Store
	Hub     storage.Hub
	Project storage.Project
	Files   storage.Folder
	Plans   storage.Folder
}

// NewTree makes a database and plants a tree in it.
func NewTree(t testing.TB, engine Engine) *Tree {
	t.Helper()
	w := &Tree{World: NewWorld(t, engine)}
	w.Data = w.both(w.Store)
	w.Hub = w.NewHub("Hub")
	w.Project = w.NewProject(w.Hub.ID, "Project")
	folders, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.Project.RootFolderID,
		storage.ContentsQuery{}, storage.DataPage{})
	w.Must(err)
	w.Plans, w.Files = folders.Folders[0], folders.Folders[1]
	return w
}

// both returns the store as the keeper of both halves.
func (w *Tree) both(store storage.Identity) storage.Store {
	w.Helper()
	both, ok := store.(storage.Store)
	if !ok {
		w.Fatalf("%T does not keep the data half", store)
	}
	return both
}

// Change returns a change by the operator at the present time, which goes on by
// a second.
func (w *Tree) Change() storage.Change {
	w.Clock.Advance(time.Second)
	return storage.Change{Act: w.Act()}
}

// ChangeBy returns a change by a user through no app.
func (w *Tree) ChangeBy(userID string) storage.Change {
	change := w.Change()
	change.Actor = storage.Actor{Kind: storage.ActorUser, ID: userID}
	change.Caller.UserID = userID
	return change
}

// NewHub adds an active hub.
func (w *Tree) NewHub(name string) storage.Hub {
	w.Helper()
	hub := storage.Hub{
		ID: "b." + w.Source.UUID(), Name: name, Region: "EMEA", Active: true, CreatedAt: w.Now(), UpdatedAt: w.Now(),
		Extension: storage.Extension{Type: "hubs:portico.core:Hub", Version: "1.0", Data: "{}"},
	}
	w.Must(w.Data.CreateHub(w.Ctx(), w.Change(), hub))
	return hub
}

// NewProject adds an active project with Project Files and Plans.
func (w *Tree) NewProject(hubID, name string) storage.Project {
	w.Helper()
	project := storage.Project{
		ID: "b." + w.Source.UUID(), HubID: hubID, Name: name, Type: "ACC", Active: true, RootFolderID: w.Source.UID(),
		Extension: storage.Extension{Type: "projects:portico.core:Project", Version: "1.0"},
		CreatedAt: w.Now(), UpdatedAt: w.Now(),
	}
	w.Must(w.Data.CreateProject(w.Ctx(), w.Change(), project, []storage.Folder{
		{ID: w.Source.UID(), Name: "Project Files", Kind: storage.FolderFiles},
		{ID: w.Source.UID(), Name: "Plans", Kind: storage.FolderPlans},
	}))
	return project
}

// Folder adds a folder.
func (w *Tree) Folder(parentID, name string) storage.Folder {
	w.Helper()
	folder, err := w.tryFolder(w.Data, parentID, name)
	w.Must(err)
	return folder
}

func (w *Tree) tryFolder(data storage.Data, parentID, name string) (storage.Folder, error) {
	w.Helper()
	return data.CreateFolder(w.Ctx(), w.Change(), w.Project.ID, storage.Folder{
		ID: w.Source.UID(), ParentID: parentID, Name: name,
		Extension: storage.Extension{Type: "folders:portico.core:Folder", Version: "1.0"},
	})
}

// Chain adds folders named by their depth, each in the one before, until there
// are n.
func (w *Tree) Chain(parentID string, n int) []storage.Folder {
	w.Helper()
	var all []storage.Folder
	for i := range n {
		folder := w.Folder(parentID, fmt.Sprintf("level %d", i))
		all, parentID = append(all, folder), folder.ID
	}
	return all
}

// Item adds an item whose first version has no bytes.
func (w *Tree) Item(folderID, name string) storage.ItemWithTip {
	w.Helper()
	item, err := w.tryItem(w.Data, folderID, name)
	w.Must(err)
	return item
}

func (w *Tree) tryItem(data storage.Data, folderID, name string) (storage.ItemWithTip, error) {
	return data.CreateItem(w.Ctx(), w.Change(), w.Project.ID, newItem(w.Source.UID(), folderID, name), newVersion(name))
}

func newItem(id, folderID, name string) storage.Item {
	return storage.Item{
		ID: id, FolderID: folderID, Name: name, Extension: storage.Extension{Type: "items:portico.core:File",
			Version: "1.0", Data: `{"a": 1}`},
	}
}

func newVersion(name string) storage.NewVersion {
	return storage.NewVersion{
		Name: name, MimeType: "text/plain", FileType: "txt",
		Extension: storage.Extension{Type: "versions:portico.core:File", Version: "1.0"},
	}
}

// Edit patches a folder that must take it.
func (w *Tree) Edit(folderID string, patch storage.FolderPatch) storage.Folder {
	w.Helper()
	folder, err := w.Data.UpdateFolder(w.Ctx(), w.Change(), w.Project.ID, folderID, patch)
	w.Must(err)
	return folder
}

// Look returns the folder as the operator sees it.
func (w *Tree) Look(folderID string) storage.Folder {
	w.Helper()
	_, folder, err := w.Data.FindFolder(w.Ctx(), storage.Caller{}, w.Project.ID, folderID)
	w.Must(err)
	return folder
}

// LookItem returns the item as the operator sees it.
func (w *Tree) LookItem(itemID string) storage.ItemWithTip {
	w.Helper()
	_, _, item, err := w.Data.FindItem(w.Ctx(), storage.Caller{}, w.Project.ID, itemID)
	w.Must(err)
	return item
}

// Names returns what lies in the folder, in order, on one page.
func (w *Tree) Names(folderID string, query storage.ContentsQuery) []string {
	w.Helper()
	contents, err := w.Data.ListContents(w.Ctx(), w.Project.ID, folderID, query, storage.DataPage{})
	w.Must(err)
	return namesOf(contents)
}

func namesOf(contents storage.Contents) []string {
	var names []string
	for _, f := range contents.Folders {
		names = append(names, f.Name+"/")
	}
	for _, i := range contents.Items {
		names = append(names, i.Item.Name)
	}
	return names
}

// Told checks that the newest events about a subject are of these kinds, newest
// first, and all there are.
func (w *Tree) Told(subject string, kinds ...string) {
	w.Helper()
	var got []string
	for _, event := range w.Events(storage.EventQuery{Subject: subject}) {
		got = append(got, event.Kind)
	}
	w.Equal(kinds, got)
}

// Events returns the newest events, newest first.
func (w *Tree) Events(query storage.EventQuery) []storage.Event {
	w.Helper()
	events, _, err := w.Data.ListEvents(w.Ctx(), query, storage.PageRequest{})
	w.Must(err)
	return events
}

// Unchanged runs something that must be refused, and checks that it left no
// event behind.
func (w *Tree) Unchanged(kind fault.Kind, reason string, try func() error) {
	w.Helper()
	before := w.Events(storage.EventQuery{})
	w.Refused(try(), kind, reason)
	w.Equal(before, w.Events(storage.EventQuery{}))
}

// Give gives the user a level in a folder.
func (w *Tree) Give(folderID, userID string, level storage.Level) {
	w.Helper()
	w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID,
		storage.FolderGrant{FolderID: folderID, UserID: userID, Level: level}))
}

// Group adds a group with members.
func (w *Tree) Group(name string, userIDs ...string) storage.Group {
	w.Helper()
	group := storage.Group{ID: w.Source.UID(), HubID: w.Hub.ID, Name: name, CreatedAt: w.Now()}
	w.Must(w.Data.CreateGroup(w.Ctx(), w.Change(), group))
	for _, id := range userIDs {
		w.Must(w.Data.AddGroupMember(w.Ctx(), w.Change(), w.Hub.ID, group.ID, id))
	}
	return group
}

// Level returns the effective level of a user in a folder.
func (w *Tree) Level(userID, folderID string) storage.Level {
	w.Helper()
	place, _, err := w.Data.FindFolder(w.Ctx(), storage.Caller{UserID: userID}, w.Project.ID, folderID)
	w.Must(err)
	return place.Standing.Level()
}

// ServiceAccount adds an enabled service account of a new client.
func (w *Tree) ServiceAccount() storage.ServiceAccount {
	w.Helper()
	id := w.Source.PersonID()
	account := storage.ServiceAccount{
		ID: id, ClientID: w.Client().ID, Name: "robot", Email: id + "@example.test", Status: storage.ServiceAccountEnabled,
		CreatedAt: w.Now(), ExpiresAt: w.Now().Add(365 * 24 * time.Hour),
	}
	account.CreatedBy = account.ClientID
	w.Must(w.Store.CreateServiceAccount(w.Ctx(), w.Act(), account))
	return account
}

func ptr[T any](v T) *T { return &v }
