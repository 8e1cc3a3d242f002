package storagetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// checkEvery is how many steps lie between looks at the whole tree, at least;
// in a tree of more folders it is as many as there are, so that looking stays in
// proportion to what is done.
const checkEvery = 50

// RunModel makes changes at random, always the same ones, and checks after each
// that the store has answered as a simple model of the tree has, and that the
// tree is as the model's. Two engines that pass have given the same answers.
func RunModel(t testing.TB, engine Engine, steps int) {
	t.Helper()
	m := newModel(NewTree(t, engine))
	next := checkEvery
	for step := 1; step <= steps; step++ {
		what := m.step()
		m.checkFolder(m.anyFolder())
		if step == next || step == steps {
			m.checkAll()
			next = step + max(checkEvery, len(m.folders))
		}
		if t.Failed() {
			t.Fatalf("at step %d: %s", step, what)
		}
		if step%1000 == 0 {
			t.Logf("%d of %d steps", step, steps)
		}
	}
	t.Logf("%d folders, at most %d deep, and %d items", len(m.folders), m.height(m.folders[0]), len(m.items))
}

// model is the tree as it should be, in the plainest terms.
type model struct {
	*Tree
	user    string
	folders []*modelFolder // the first is the root
	items   []*modelItem
}

type modelFolder struct {
	id, name string
	parent   *modelFolder
	hidden   bool
	granted  storage.Level
}

type modelItem struct {
	id, name string
	folder   *modelFolder
	hidden   bool
	tip      int
}

func newModel(w *Tree) *model {
	root := &modelFolder{id: w.Project.RootFolderID}
	m := &model{Tree: w, user: w.User().ID, folders: []*modelFolder{root}}
	for _, f := range []storage.Folder{w.Files, w.Plans} {
		m.folders = append(m.folders, &modelFolder{id: f.ID, name: f.Name, parent: root})
	}
	return m
}

// draw returns a number below n.
func (m *model) draw(n int) int {
	b := m.Source.Bytes(2)
	return (int(b[0])<<8 | int(b[1])) % n
}

// anyFolder prefers the newest, so that the tree grows deep as well as wide.
func (m *model) anyFolder() *modelFolder {
	if m.draw(2) == 0 {
		return m.folders[len(m.folders)-1-m.draw(min(4, len(m.folders)))]
	}
	return m.folders[m.draw(len(m.folders))]
}

// anyName returns one of a few names, in one of two spellings.
func (m *model) anyName() string {
	name := fmt.Sprintf("näme %c", 'a'+rune(m.draw(12)))
	if m.draw(2) == 0 {
		return strings.ToUpper(name)
	}
	return name
}

func (f *modelFolder) visible() bool {
	for ; f != nil; f = f.parent {
		if f.hidden {
			return false
		}
	}
	return true
}

func (f *modelFolder) depth() int {
	if f.parent == nil {
		return 0
	}
	return f.parent.depth() + 1
}

func (f *modelFolder) level() storage.Level {
	if f == nil {
		return storage.LevelNone
	}
	return max(f.granted, f.parent.level())
}

func (f *modelFolder) readable(withHidden bool) bool {
	return f.level() >= storage.LevelView && f.visible() || f.level() >= storage.LevelEdit && withHidden
}

// readableTo reports whether the folder, or one above it but the root, can be
// read.
func (f *modelFolder) readableTo(withHidden bool) bool {
	for ; f.parent != nil; f = f.parent {
		if f.readable(withHidden) {
			return true
		}
	}
	return false
}

func (f *modelFolder) in(top *modelFolder) bool {
	for ; f != nil; f = f.parent {
		if f == top {
			return true
		}
	}
	return false
}

// height is how many levels lie below the folder.
func (m *model) height(top *modelFolder) int {
	most := 0
	for _, f := range m.folders {
		if f.in(top) {
			most = max(most, f.depth()-top.depth())
		}
	}
	return most
}

func sameName(a, b string) bool { return strings.EqualFold(a, b) }

func (m *model) folderNamed(parent *modelFolder, name string, but *modelFolder) bool {
	return slices.ContainsFunc(m.folders, func(f *modelFolder) bool {
		return f != but && f.parent == parent && !f.hidden && sameName(f.name, name)
	})
}

func (m *model) itemNamed(folder *modelFolder, name string, but *modelItem) bool {
	return slices.ContainsFunc(m.items, func(i *modelItem) bool {
		return i != but && i.folder == folder && !i.hidden && sameName(i.name, name)
	})
}

// step makes one change, and says which.
func (m *model) step() string {
	what := m.draw(20)
	switch {
	case what < 6:
		return m.addFolder()
	case what < 11:
		return m.patchFolder(m.anyFolder())
	case what < 14:
		return m.addItem()
	case len(m.items) > 0 && what < 16:
		return m.patchItem(m.items[m.draw(len(m.items))])
	case len(m.items) > 0 && what < 18:
		return m.addVersion(m.items[m.draw(len(m.items))])
	case what == 18:
		return m.grant(m.anyFolder())
	}
	_, err := m.Data.FoldChanges(m.Ctx(), 5)
	m.Must(err)
	return "folding"
}

// answer checks that the store refuses for the reason that the model has, or
// does not refuse when it has none.
func (m *model) answer(err error, want string) bool {
	m.Helper()
	got := ""
	if f := fault.From(err); f != nil {
		got = f.Kind.String() + " " + f.Reason
	}
	m.Equal(want, strings.TrimSpace(got))
	return err == nil && want == ""
}

// The model's refusals.
const (
	modelHidden  = "conflict " + storage.ReasonParentHidden
	modelTaken   = "conflict " + storage.ReasonNameTaken
	modelDeleted = "conflict " + storage.ReasonItemHidden
	modelDeep    = "invalid " + storage.ReasonTooDeep
	modelCycle   = "invalid " + storage.ReasonCycle
	modelRoot    = "invalid " + storage.ReasonRootFolder
	modelFiles   = "forbidden " + storage.ReasonFilesFolder
)

func (m *model) addFolder() string {
	f := &modelFolder{id: m.Source.UID(), name: m.anyName(), parent: m.anyFolder()}
	want := ""
	switch {
	case !f.parent.visible():
		want = modelHidden
	case f.depth() > storage.MaxDepth:
		want = modelDeep
	case m.folderNamed(f.parent, f.name, nil):
		want = modelTaken
	}
	_, err := m.Data.CreateFolder(m.Ctx(), m.Change(), m.Project.ID,
		storage.Folder{ID: f.id, ParentID: f.parent.id, Name: f.name})
	if m.answer(err, want) {
		m.folders = append(m.folders, f)
	}
	return fmt.Sprintf("adding %+v: %s", f, want)
}

func (m *model) patchFolder(f *modelFolder) string {
	now := *f
	var patch storage.FolderPatch
	if m.draw(3) == 0 {
		now.name = m.anyName()
		patch.Name = &now.name
	}
	if m.draw(2) == 0 {
		now.parent = m.anyFolder()
		patch.ParentID = &now.parent.id
	}
	if m.draw(3) == 0 {
		now.hidden = m.draw(2) == 0
		patch.Hidden = &now.hidden
	}
	want := m.refuseFolder(f, now)
	_, err := m.Data.UpdateFolder(m.Ctx(), m.Change(), m.Project.ID, f.id, patch)
	if m.answer(err, want) {
		*f = now
	}
	return fmt.Sprintf("changing %+v to %+v: %s", *f, now, want)
}

func (m *model) refuseFolder(f *modelFolder, now modelFolder) string {
	moves := now.parent != f.parent
	switch {
	case now == *f:
		return ""
	case f.parent == nil:
		return modelRoot
	case f.id == m.Files.ID:
		return modelFiles // at the top and visible, so that every change is one for the worse
	case moves && now.parent.in(f):
		return modelCycle
	case moves && !now.parent.visible():
		return modelHidden
	case moves && now.parent.depth()+1+m.height(f) > storage.MaxDepth:
		return modelDeep
	case !now.hidden && m.folderNamed(now.parent, now.name, f):
		return modelTaken
	}
	return ""
}

func (m *model) addItem() string {
	i := &modelItem{id: m.Source.UID(), name: m.anyName(), folder: m.anyFolder(), tip: 1}
	want := ""
	switch {
	case !i.folder.visible():
		want = modelHidden
	case m.itemNamed(i.folder, i.name, nil):
		want = modelTaken
	}
	_, err := m.Data.CreateItem(m.Ctx(), m.Change(), m.Project.ID, newItem(i.id, i.folder.id, i.name), newVersion(i.name))
	if m.answer(err, want) {
		m.items = append(m.items, i)
	}
	return fmt.Sprintf("adding %+v: %s", i, want)
}

func (m *model) patchItem(i *modelItem) string {
	now := *i
	var patch storage.ItemPatch
	if m.draw(2) == 0 {
		now.name = m.anyName()
		patch.Name = &now.name
	}
	if m.draw(2) == 0 {
		now.folder = m.anyFolder()
		patch.FolderID = &now.folder.id
	}
	if m.draw(2) == 0 {
		now.hidden = m.draw(2) == 0
		patch.Hidden = &now.hidden
	}
	want := ""
	switch {
	case now.folder != i.folder && !now.folder.visible():
		want = modelHidden
	case now != *i && !now.hidden && m.itemNamed(now.folder, now.name, i):
		want = modelTaken
	}
	_, err := m.Data.UpdateItem(m.Ctx(), m.Change(), m.Project.ID, i.id, patch)
	if m.answer(err, want) {
		*i = now
	}
	return fmt.Sprintf("changing %+v to %+v: %s", *i, now, want)
}

func (m *model) addVersion(i *modelItem) string {
	now := *i
	now.tip++
	now.hidden = false
	version := newVersion(m.anyName())
	switch m.draw(4) {
	case 0:
		version.Delete, now.hidden = true, true
	case 1:
		version.CopyFrom = &storage.VersionRef{ItemID: i.id, Number: 1 + m.draw(i.tip)}
	case 2:
		version.RenameItem, now.name = true, version.Name
	}
	want := ""
	switch {
	case i.hidden && version.CopyFrom == nil:
		want = modelDeleted
	case !now.hidden && m.itemNamed(now.folder, now.name, i):
		want = modelTaken
	}
	_, err := m.Data.AddVersion(m.Ctx(), m.Change(), m.Project.ID, i.id, version)
	if m.answer(err, want) {
		*i = now
	}
	return fmt.Sprintf("a version of %+v: %s", *i, want)
}

func (m *model) grant(f *modelFolder) string {
	f.granted = storage.Level(1 + m.draw(int(storage.LevelControl)))
	m.Give(f.id, m.user, f.granted)
	return fmt.Sprintf("granting %+v", f)
}

func (m *model) checkAll() {
	m.checkTop()
	for _, f := range m.folders {
		m.checkFolder(f)
	}
	for _, i := range m.items {
		got := m.LookItem(i.id)
		m.Equal([]any{i.name, i.folder.id, i.hidden, i.tip, i.tip},
			[]any{got.Item.Name, got.Item.FolderID, got.Item.Hidden, got.Item.Tip, got.Tip.Number})
		if i.tip <= storage.MaxPage {
			m.Equal(i.tip, len(m.numbers(i.id, storage.VersionQuery{}, 0)))
		}
	}
}

// checkTop compares the highest folders that the user can read.
func (m *model) checkTop() {
	place, err := m.Data.FindProject(m.Ctx(), storage.Caller{UserID: m.user}, m.Project.ID)
	m.Must(err)
	for _, withHidden := range []bool{false, true} {
		folders, err := m.Data.ListTopFolders(m.Ctx(), place, storage.TopQuery{WithHidden: withHidden})
		m.Must(err)
		var want, got []string
		for _, f := range m.folders[1:] {
			if f.readable(withHidden) && !f.parent.readableTo(withHidden) {
				want = append(want, f.id)
			}
		}
		for _, f := range folders {
			got = append(got, f.ID)
		}
		slices.Sort(want)
		slices.Sort(got)
		m.Equal(want, got)
	}
}

// checkFolder compares a folder, and what is to be seen in it, with the model.
func (m *model) checkFolder(f *modelFolder) {
	m.Helper()
	place, got, err := m.Data.FindFolder(m.Ctx(), storage.Caller{UserID: m.user}, m.Project.ID, f.id)
	m.Must(err)
	var names []string
	for _, below := range m.folders {
		if below.parent == f && !below.hidden {
			names = append(names, below.name+"/")
		}
	}
	for _, i := range m.items {
		if i.folder == f && !i.hidden {
			names = append(names, i.name)
		}
	}
	m.Equal([]any{f.depth(), f.hidden, f.visible(), len(names), f.level()},
		[]any{got.Depth, got.Hidden, got.Visible, got.ObjectCount, place.Standing.Granted})
	shown := m.Names(f.id, storage.ContentsQuery{})
	slices.Sort(names)
	slices.Sort(shown)
	m.Equal(names, shown)
	if f.parent != nil {
		m.Equal(f.parent.id, got.ParentID)
		if above := m.Look(f.parent.id); got.RollupAt.After(above.RollupAt) {
			m.Errorf("%s has changed at %v, but the folder above at %v", f.name, got.RollupAt, above.RollupAt)
		}
	}
}
