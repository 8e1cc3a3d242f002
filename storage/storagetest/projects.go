package storagetest

import (
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func projectChecks() []treeCheck {
	return []treeCheck{
		{"CreateProject plants a hidden root and the top folders, and refuses absent hubs and taken ids", createProject},
		{"PatchProject renames, and does nothing else", renameProject},
		{"PatchProject activates and deactivates, and repeating it changes nothing", projectActive},
		{"PatchProject changes all that it says, or nothing", patchProject},
		{"A project that is archived refuses every change in the tree until it is taken back", archiveProject},
		{"ListProjects orders by name key and id, and pages by cursor and by number", listProjects},
		{"ListProjects narrows by id, extension type and state", filterProjects},
		{"ListProjects shows a user the projects they have a part in", listProjectsOfUser},
	}
}

func createProject(w *Tree) {
	place, err := w.Data.FindProject(w.Ctx(), storage.Caller{}, w.Project.ID)
	w.Must(err)
	w.Equal(w.Project, place.Project)
	w.Equal(w.Hub, place.Hub)
	root := w.Look(w.Project.RootFolderID)
	w.Equal(storage.FolderRoot, root.Kind)
	w.Equal(strings.TrimPrefix(w.Project.ID, "b.")+"-root-folder", root.Name)
	w.Equal([]int{0, 2}, []int{root.Depth, root.ObjectCount})
	w.Equal([]string{"Plans/", "Project Files/"}, w.Names(root.ID, storage.ContentsQuery{}))
	w.Equal([]string{storage.FolderPlans, storage.FolderFiles}, []string{w.Plans.Kind, w.Files.Kind})
	w.Equal([]any{1, root.ID, true}, []any{w.Files.Depth, w.Files.ParentID, w.Files.Visible})
	w.Told(w.Project.ID, storage.EventProjectCreated)

	again := w.Project
	again.RootFolderID = w.Source.UID()
	w.Unchanged(fault.Conflict, "", func() error { return w.Data.CreateProject(w.Ctx(), w.Change(), again, nil) })
	again.ID, again.HubID = "b."+w.Source.UUID(), "b.none"
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.CreateProject(w.Ctx(), w.Change(), again, nil) })
	again.HubID = w.Hub.ID
	w.Unchanged(fault.Conflict, storage.ReasonNameTaken, func() error {
		return w.Data.CreateProject(w.Ctx(), w.Change(), again, []storage.Folder{{ID: "a", Name: "A"}, {ID: "b", Name: "a"}})
	})
	_, err = w.Data.FindProject(w.Ctx(), storage.Caller{}, again.ID)
	w.Refused(err, fault.NotFound, "")
}

func renameProject(w *Tree) {
	project, change := w.Project, w.Change()
	project.Name, project.UpdatedAt = "New", change.At
	w.Must(w.Data.PatchProject(w.Ctx(), change, project.ID, storage.ProjectPatch{Name: &project.Name}))
	place, err := w.Data.FindProject(w.Ctx(), storage.Caller{}, project.ID)
	w.Must(err)
	w.Equal(project, place.Project)
}

func projectActive(w *Tree) {
	for range 2 {
		w.setActive(false)
	}
	w.Equal([]string(nil), w.projects(storage.Caller{}, storage.ProjectQuery{}))
	w.Equal([]string{"Project"}, w.projects(storage.Caller{}, storage.ProjectQuery{Inactive: true}))
	w.setActive(true)
	w.Told(w.Project.ID, storage.EventProjectActivated, storage.EventProjectDeactivated, storage.EventProjectCreated)
}

func patchProject(w *Tree) {
	patch := storage.ProjectPatch{Name: new("New"), Archived: new(true), Active: new(false)}
	patched := func() error { return w.Data.PatchProject(w.Ctx(), w.Change(), w.Project.ID, patch) }
	free := w.rearranged()
	err := patched()
	free()
	w.Equal(true, busy(err))
	unchanged, err := w.Data.FindProject(w.Ctx(), storage.Caller{}, w.Project.ID)
	w.Must(err)
	w.Equal(w.Project, unchanged.Project)
	w.Must(patched())
	place, err := w.Data.FindProject(w.Ctx(), storage.Caller{}, w.Project.ID)
	w.Must(err)
	w.Equal([]any{"New", true, false}, []any{place.Project.Name, place.Project.Archived, place.Project.Active})
	w.Told(w.Project.ID, storage.EventProjectDeactivated, storage.EventProjectArchived, storage.EventProjectUpdated,
		storage.EventProjectLoaded, storage.EventProjectCreated)
	for _, one := range []storage.ProjectPatch{patch, {Archived: patch.Archived}, {Active: patch.Active}} {
		w.Unchanged(fault.NotFound, "", func() error { return w.Data.PatchProject(w.Ctx(), w.Change(), "b.none", one) })
	}
}

// setArchived archives the project, or takes that back.
func (w *Tree) setArchived(archived bool) {
	w.Helper()
	w.Must(w.Data.PatchProject(w.Ctx(), w.Change(), w.Project.ID, storage.ProjectPatch{Archived: &archived}))
}

// setActive activates the project, or deactivates it.
func (w *Tree) setActive(active bool) {
	w.Helper()
	w.Must(w.Data.PatchProject(w.Ctx(), w.Change(), w.Project.ID, storage.ProjectPatch{Active: &active}))
}

// rearranged has somebody load a tree into the project, until they are let free.
func (w *Tree) rearranged() (free func()) {
	began, rest, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	change := w.Change()
	go func() {
		folders := func(func(storage.BulkFolder) bool) {
			close(began)
			<-rest
		}
		ended <- w.Data.LoadTree(w.Ctx(), change, w.Project.ID, storage.BulkTree{Folders: folders})
	}()
	<-began
	return func() {
		close(rest)
		w.Must(<-ended)
	}
}

// projects returns the names of the hub's projects that the caller sees.
func (w *Tree) projects(caller storage.Caller, query storage.ProjectQuery) []string {
	w.Helper()
	list, next, err := w.Data.ListProjects(w.Ctx(), caller, w.Hub.ID, query, storage.DataPage{})
	w.Must(err)
	w.Equal("", next)
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	return names
}

// changesOfTheTree tries every act on the tree once, each of which would do
// something.
func (w *Tree) changesOfTheTree() map[string]func() error {
	user := w.User().ID
	folder, item := w.Folder(w.Files.ID, w.Source.UID()), w.Item(w.Files.ID, w.Source.UID())
	held, gone := w.Item(w.Files.ID, w.Source.UID()), w.Item(w.Files.ID, w.Source.UID())
	w.Must(w.patchItem(gone.Item.ID, storage.ItemPatch{Hidden: ptr(true)}))
	_, err := w.Data.ReserveItem(w.Ctx(), w.ChangeBy(user), w.Project.ID, held.Item.ID)
	w.Must(err)
	ref := storage.VersionRef{ItemID: item.Item.ID, Number: 1}
	only := func(_ any, err error) error { return err }
	ctx, id := w.Ctx(), w.Project.ID
	return map[string]func() error{
		"CreateFolder": func() error { return only(w.tryFolder(w.Data, w.Files.ID, "new")) },
		"UpdateFolder": func() error {
			return only(w.Data.UpdateFolder(ctx, w.Change(), id, folder.ID, storage.FolderPatch{Hidden: ptr(true)}))
		},
		"CreateItem": func() error { return only(w.tryItem(w.Data, w.Files.ID, "new")) },
		"UpdateItem": func() error {
			return only(w.Data.UpdateItem(ctx, w.Change(), id, item.Item.ID, storage.ItemPatch{Name: ptr("other")}))
		},
		"AddVersion": func() error {
			return only(w.Data.AddVersion(ctx, w.Change(), id,
				item.Item.ID, newVersion("v")))
		},
		"RenameVersion":    func() error { return only(w.Data.RenameVersion(ctx, w.Change(), id, ref, "other")) },
		"ReserveItem":      func() error { return only(w.Data.ReserveItem(ctx, w.ChangeBy(user), id, item.Item.ID)) },
		"ReleaseItem":      func() error { return only(w.Data.ReleaseItem(ctx, w.ChangeBy(user), id, held.Item.ID)) },
		"BreakReservation": func() error { return only(w.Data.BreakReservation(ctx, w.Change(), id, held.Item.ID)) },
		"ReserveObject": func() error {
			return w.Data.ReserveObject(ctx, w.Change(), storage.Object{Bucket: "b", Key: "k", ProjectID: id})
		},
		"PurgeHidden": func() error { return only(w.Data.PurgeHidden(ctx, w.Change(), id, w.Now(), 10)) },
		"LoadTree":    func() error { return w.Data.LoadTree(ctx, w.Change(), id, storage.BulkTree{}) },
		"AddRefs": func() error {
			return w.Data.AddRefs(ctx, w.Change(), id, ofItem(item),
				[]storage.Ref{{To: ofFolder(w.Plans), Extension: refType(xref)}})
		},
		"AddLinks": func() error {
			return w.Data.AddLinks(ctx, w.Change(), id, ofItem(item), []storage.Link{w.newLink("new")})
		},
	}
}

func archiveProject(w *Tree) {
	changes := w.changesOfTheTree()
	for range 2 {
		w.setArchived(true)
	}
	for name, change := range changes {
		w.Unchanged(fault.Locked, storage.ReasonProjectArchived, change)
		if w.Failed() {
			w.Fatalf("in %s", name)
		}
	}
	w.setArchived(false)
	w.Folder(w.Files.ID, "new again")
	w.Told(w.Project.ID, storage.EventProjectReopened, storage.EventProjectArchived, storage.EventProjectCreated)
}

func listProjects(w *Tree) {
	for _, name := range []string{"zeta", "Alpha", "beta", "beta"} {
		w.NewProject(w.Hub.ID, name)
	}
	want := []string{"Alpha", "beta", "beta", "Project", "zeta"}
	w.Equal(want, w.projects(storage.Caller{}, storage.ProjectQuery{}))
	var byCursor, byNumber []string
	page := storage.DataPage{Limit: 2}
	for n := 0; ; n++ {
		list, next, err := w.Data.ListProjects(w.Ctx(), storage.Caller{}, w.Hub.ID, storage.ProjectQuery{}, page)
		w.Must(err)
		numbered, _, err := w.Data.ListProjects(w.Ctx(), storage.Caller{}, w.Hub.ID, storage.ProjectQuery{},
			storage.DataPage{Number: n, Limit: 2})
		w.Must(err)
		for i := range list {
			byCursor, byNumber = append(byCursor, list[i].Name), append(byNumber, numbered[i].Name)
		}
		if page.After = next; next == "" {
			break
		}
	}
	w.Equal(want, byCursor)
	w.Equal(want, byNumber)
	for _, bad := range []storage.DataPage{{Limit: 201}, {Limit: -1}, {Number: -1}, {After: "x"}} {
		_, _, err := w.Data.ListProjects(w.Ctx(), storage.Caller{}, w.Hub.ID, storage.ProjectQuery{}, bad)
		w.Refused(err, fault.Invalid, "")
	}
	list, next, err := w.Data.ListProjects(w.Ctx(), storage.Caller{}, "b.none", storage.ProjectQuery{}, storage.DataPage{})
	w.Must(err)
	w.Equal([]any{0, ""}, []any{len(list), next})
}

func filterProjects(w *Tree) {
	other := w.Project
	other.ID, other.RootFolderID, other.Name = "b."+w.Source.UUID(), w.Source.UID(), "Other"
	other.Extension.Type = "projects:other:Project"
	w.Must(w.Data.CreateProject(w.Ctx(), w.Change(), other, nil))
	w.Equal([]string{"Other"}, w.projects(storage.Caller{}, storage.ProjectQuery{IDs: []string{other.ID}}))
	types := []storage.TextCondition{{Op: storage.OpStarts, Values: []string{"projects:portico"}}}
	w.Equal([]string{"Project"}, w.projects(storage.Caller{}, storage.ProjectQuery{ExtensionTypes: types}))
	w.Equal([]string(nil), w.projects(storage.Caller{},
		storage.ProjectQuery{ExtensionTypes: types, IDs: []string{other.ID}}))
}

func listProjectsOfUser(w *Tree) {
	w.NewProject(w.Hub.ID, "Foreign")
	hubAdmin, projectAdmin, member, granted, grouped, nobody := w.User().ID, w.User().ID, w.User().ID, w.User().ID,
		w.User().ID, w.User().ID
	ctx, hub := w.Ctx(), w.Hub.ID
	w.Must(w.Data.SetHubMember(ctx, w.Change(), hub, hubAdmin, true))
	w.Must(w.Data.SetHubMember(ctx, w.Change(), hub, nobody, false))
	w.Must(w.Data.SetProjectMember(ctx, w.Change(), w.Project.ID, projectAdmin, true))
	w.Must(w.Data.SetProjectMember(ctx, w.Change(), w.Project.ID, member, false))
	w.Give(w.Files.ID, granted, storage.LevelView)
	group := w.Group("G", grouped)
	w.Must(w.Data.SetFolderGrant(ctx, w.Change(), w.Project.ID,
		storage.FolderGrant{FolderID: w.Files.ID, GroupID: group.ID, Level: storage.LevelView}))
	for user, want := range map[string][]string{
		hubAdmin: {"Foreign", "Project"}, projectAdmin: {"Project"}, member: {"Project"},
		granted: {"Project"}, grouped: {"Project"},
		nobody: nil, w.User().ID: nil,
	} {
		caller := storage.Caller{UserID: user}
		w.Equal(want, w.projects(caller, storage.ProjectQuery{}))
		place, err := w.Data.FindProject(ctx, caller, w.Project.ID)
		w.Must(err)
		w.Equal(want != nil, place.Standing.HasPart())
		caller.ClientID = w.Client().ID
		w.Equal([]string(nil), w.projects(caller, storage.ProjectQuery{}))
	}
	client := w.provision(hub, storage.LevelView, storage.AppForMembers)
	w.Equal([]string{"Foreign", "Project"}, w.projects(storage.Caller{ClientID: client.ID}, storage.ProjectQuery{}))
	w.Equal([]string{"Project"}, w.projects(storage.Caller{ClientID: client.ID, UserID: member}, storage.ProjectQuery{}))
}
