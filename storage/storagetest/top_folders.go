package storagetest

import (
	"cmp"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/portico-id/portico/storage"
)

func topFolderChecks() []treeCheck {
	return []treeCheck{
		{"ListTopFolders returns the children of the root to callers with rights everywhere", topOfAdmins},
		{"ListTopFolders returns the highest readable folders, ordered by name", topOfUser},
		{"ListTopFolders shows hidden folders to those who may edit, when asked", topHidden},
		{"ListTopFolders returns what lies in Project Files alone, when asked", topInFiles},
		{"ListTopFolders says what lies above to callers with rights everywhere only", topWithoutParent},
		{"ListTopFolders knows no more than the app may when the app names the user", topOnBehalf},
		{"levels and top folders equal a brute-force answer on random trees with random grants", topBruteForce},
	}
}

// top returns the names of the top folders of a caller.
func (w *Tree) top(caller storage.Caller, withHidden bool) []string {
	w.Helper()
	return w.topAsked(caller, storage.TopQuery{WithHidden: withHidden})
}

func (w *Tree) topAsked(caller storage.Caller, q storage.TopQuery) []string {
	w.Helper()
	place, err := w.Data.FindProject(w.Ctx(), caller, w.Project.ID)
	w.Must(err)
	folders, err := w.Data.ListTopFolders(w.Ctx(), place, q)
	w.Must(err)
	var names []string
	for _, f := range folders {
		names = append(names, f.Name)
	}
	return names
}

func topOfAdmins(w *Tree) {
	w.Edit(w.Plans.ID, storage.FolderPatch{Hidden: ptr(true)})
	admin := w.User().ID
	w.Must(w.Data.SetProjectMember(w.Ctx(), w.Change(), w.Project.ID, admin, true))
	editor := w.provision(w.Hub.ID, storage.LevelEdit, storage.AppForMembers)
	viewer := w.provision(w.Hub.ID, storage.LevelView, storage.AppForMembers)
	all := []string{"Plans", "Project Files"}
	for _, c := range []struct {
		caller     storage.Caller
		withHidden []string
	}{
		{storage.Caller{}, all},
		{storage.Caller{UserID: admin}, all},
		{storage.Caller{ClientID: editor.ID}, all},
		{storage.Caller{ClientID: viewer.ID}, all[1:]},
		{storage.Caller{ClientID: viewer.ID, UserID: admin}, all},
		{storage.Caller{ClientID: viewer.ID, UserID: admin, OnBehalf: true}, all[1:]},
	} {
		w.Equal(all[1:], w.top(c.caller, false))
		w.Equal(c.withHidden, w.top(c.caller, true))
	}
	w.Equal([]string(nil), w.top(storage.Caller{ClientID: w.Client().ID}, true))
	w.Equal([]string(nil), w.top(storage.Caller{UserID: w.User().ID}, true))
}

func topOfUser(w *Tree) {
	user := w.User().ID
	chain := w.Chain(w.Files.ID, 3)
	beside := w.Folder(w.Files.ID, "Beside")
	w.Give(chain[2].ID, user, storage.LevelView)
	w.Give(beside.ID, user, storage.LevelView)
	caller := storage.Caller{UserID: user}
	w.Equal([]string{"Beside", "level 2"}, w.top(caller, false))
	w.Give(chain[1].ID, user, storage.LevelControl)
	w.Equal([]string{"Beside", "level 1"}, w.top(caller, false))
	w.Give(w.Files.ID, user, storage.LevelView)
	w.Equal([]string{"Project Files"}, w.top(caller, false))
	w.Give(w.Project.RootFolderID, user, storage.LevelView)
	w.Equal([]string{"Plans", "Project Files"}, w.top(caller, false))
}

func topInFiles(w *Tree) {
	user := w.User().ID
	inFiles, inPlans := w.Folder(w.Files.ID, "in files"), w.Folder(w.Plans.ID, "in plans")
	w.Give(inFiles.ID, user, storage.LevelView)
	w.Give(inPlans.ID, user, storage.LevelView)
	for caller, want := range map[storage.Caller][2][]string{
		{}:             {{"Plans", "Project Files"}, {"Project Files"}},
		{UserID: user}: {{"in files", "in plans"}, {"in files"}},
	} {
		w.Equal(want[0], w.topAsked(caller, storage.TopQuery{}))
		w.Equal(want[1], w.topAsked(caller, storage.TopQuery{InProjectFiles: true}))
	}
}

func topWithoutParent(w *Tree) {
	user := w.User().ID
	w.Give(w.Files.ID, user, storage.LevelView)
	for caller, want := range map[storage.Caller]string{{}: w.Project.RootFolderID, {UserID: user}: ""} {
		place, err := w.Data.FindProject(w.Ctx(), caller, w.Project.ID)
		w.Must(err)
		folders, err := w.Data.ListTopFolders(w.Ctx(), place, storage.TopQuery{InProjectFiles: true})
		w.Must(err)
		w.Equal([]string{want}, []string{folders[0].ParentID})
	}
}

func topHidden(w *Tree) {
	viewer, editor := w.User().ID, w.User().ID
	chain := w.Chain(w.Files.ID, 2)
	w.Give(chain[1].ID, viewer, storage.LevelCollaborate)
	w.Give(chain[1].ID, editor, storage.LevelEdit)
	w.Edit(chain[0].ID, storage.FolderPatch{Hidden: ptr(true)})
	for _, withHidden := range []bool{true, false} {
		w.Equal([]string(nil), w.top(storage.Caller{UserID: viewer}, withHidden))
	}
	w.Equal([]string{"level 1"}, w.top(storage.Caller{UserID: editor}, true))
	w.Equal([]string(nil), w.top(storage.Caller{UserID: editor}, false))
	w.Give(w.Project.RootFolderID, viewer, storage.LevelView)
	w.Give(chain[0].ID, viewer, storage.LevelEdit)
	w.Equal([]string{"Plans", "Project Files"}, w.top(storage.Caller{UserID: viewer}, true))
}

func topOnBehalf(w *Tree) {
	user := w.User().ID
	w.Give(w.Plans.ID, user, storage.LevelEdit)
	w.Edit(w.Plans.ID, storage.FolderPatch{Hidden: ptr(true)})
	for level, want := range map[storage.Level][]string{storage.LevelCollaborate: nil, storage.LevelEdit: {"Plans"}} {
		client := w.provision(w.Hub.ID, level, storage.AppForMembers)
		w.Equal(want, w.top(storage.Caller{ClientID: client.ID, UserID: user, OnBehalf: true}, true))
	}
}

// randomTree is a project made at random, with all that the brute force needs.
type randomTree struct {
	world   *Tree
	project storage.Project
	user    string
	group   string
	folders []randomFolder // a folder comes after its parent; the first is the root
}

type randomFolder struct {
	storage.Folder
	parent int
	hidden bool
	grants []storage.Level
}

func topBruteForce(w *Tree) {
	const folders = 16
	user := w.User().ID
	group := w.Group("Group", user).ID
	n := 0
	rapid.Check(w.TB, func(t *rapid.T) {
		n++
		project := w.NewProject(w.Hub.ID, fmt.Sprint("random ", n))
		tree := &randomTree{world: w, project: project, user: user, group: group}
		w.Project = project
		tree.folders = []randomFolder{{Folder: w.Look(project.RootFolderID), parent: -1}}
		for i := range rapid.IntRange(1, folders).Draw(t, "folders") {
			tree.grow(t, i)
		}
		tree.check(t)
	})
}

// grow adds a folder, perhaps with grants, and perhaps hides it. A folder can't
// be put into a hidden one, so those are hidden last.
func (r *randomTree) grow(t *rapid.T, i int) {
	w := r.world
	parent := rapid.IntRange(0, len(r.folders)-1).Draw(t, "parent")
	for r.hiddenAbove(parent) {
		parent = r.folders[parent].parent
	}
	folder := randomFolder{Folder: w.Folder(r.folders[parent].ID, fmt.Sprintf("f%02d", i)), parent: parent}
	level := storage.Level(rapid.SampledFrom([]int{0, 0, 0, 1, 3, 5, 6}).Draw(t, "own level"))
	if level > 0 {
		w.Give(folder.ID, r.user, level)
		folder.grants = append(folder.grants, level)
	}
	if level := storage.Level(rapid.SampledFrom([]int{0, 0, 0, 2, 5}).Draw(t, "group level")); level > 0 {
		w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), r.project.ID,
			storage.FolderGrant{FolderID: folder.ID, GroupID: r.group, Level: level}))
		folder.grants = append(folder.grants, level)
	}
	r.folders = append(r.folders, folder)
	if victim := rapid.IntRange(0, 3*len(r.folders)).Draw(t, "hidden"); victim > 0 && victim < len(r.folders) {
		w.Edit(r.folders[victim].ID, storage.FolderPatch{Hidden: ptr(true)})
		r.folders[victim].hidden = true
	}
}

func (r *randomTree) hiddenAbove(i int) bool {
	for ; i >= 0; i = r.folders[i].parent {
		if r.folders[i].hidden {
			return true
		}
	}
	return false
}

func (r *randomTree) level(i int) storage.Level {
	level := storage.LevelNone
	for ; i >= 0; i = r.folders[i].parent {
		for _, l := range r.folders[i].grants {
			level = max(level, l)
		}
	}
	return level
}

func (r *randomTree) readable(i int, withHidden bool) bool {
	return r.level(i) >= storage.LevelView && !r.hiddenAbove(i) || withHidden && r.level(i) >= storage.LevelEdit
}

// top asks each folder whether it can be read while none above it can.
func (r *randomTree) top(withHidden bool) []string {
	type named struct{ name, id string }
	var found []named
	for i := 1; i < len(r.folders); i++ {
		above := false
		for up := r.folders[i].parent; up > 0; up = r.folders[up].parent {
			above = above || r.readable(up, withHidden)
		}
		if r.readable(i, withHidden) && !above {
			found = append(found, named{r.folders[i].Name, r.folders[i].ID})
		}
	}
	slices.SortFunc(found, func(a, b named) int { return cmp.Compare(a.name, b.name) })
	var names []string
	for _, f := range found {
		names = append(names, f.name)
	}
	return names
}

func (r *randomTree) check(t *rapid.T) {
	w := r.world
	for i, f := range r.folders {
		if got := w.Level(r.user, f.ID); got != r.level(i) {
			t.Fatalf("level on %s is %v, want %v", f.Name, got, r.level(i))
		}
		if got := w.Look(f.ID); got.Visible == r.hiddenAbove(i) {
			t.Fatalf("%s: visible is %v", f.Name, got.Visible)
		}
	}
	for _, withHidden := range []bool{false, true} {
		if got, want := w.top(storage.Caller{UserID: r.user}, withHidden), r.top(withHidden); !slices.Equal(got, want) {
			t.Fatalf("top folders (hidden too: %v) are %v, want %v", withHidden, got, want)
		}
	}
}
