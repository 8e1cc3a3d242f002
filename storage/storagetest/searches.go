package storagetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func searchChecks() []treeCheck {
	return []treeCheck{
		{"Search finds in random trees what a look at everything finds, in the order of the tree", searchRandomTrees},
		{"Search compares each field of the tip, and the tip alone", searchFields},
		{"Search pages by cursor and by number, whatever was added meanwhile", searchPages},
		{"Search finds nothing hidden, nothing of another project, and nothing in an absent folder", searchHidden},
		{"Search by people's names finds users and service accounts", searchPeople},
		{"Search refuses comparisons and cursors that make no sense", searchRefused},
	}
}

const searchBudget = 10 * time.Second

func (w *Tree) search(folderID string, query storage.SearchQuery,
	page storage.DataPage) ([]storage.ItemWithTip, string) {
	w.Helper()
	query.Budget = searchBudget
	items, next, err := w.Data.Search(w.Ctx(), w.Project.ID, folderID, query, page)
	w.Must(err)
	return items, next
}

func searchText(field storage.SearchField, op storage.Op, values ...string) storage.SearchQuery {
	return storage.SearchQuery{Texts: map[storage.SearchField][]storage.TextCondition{field: {{Op: op, Values: values}}}}
}

// itemNames are the names of the items' tips.
func itemNames(items []storage.ItemWithTip) []string {
	var names []string
	for _, i := range items {
		names = append(names, i.Tip.Name)
	}
	return names
}

// grove is a random tree, and what was put into it.
type grove struct {
	*Tree
	folders []string
	parent  map[string]string
	hidden  map[string]bool
	items   []storage.ItemWithTip
}

func (w *Tree) draw(n int) int {
	b := w.Source.Bytes(2)
	return (int(b[0])<<8 | int(b[1])) % n
}

func (w *Tree) pick(words ...string) string { return words[w.draw(len(words))] }

func (w *Tree) grove() *grove {
	g := &grove{Tree: w, folders: []string{w.Files.ID}, parent: map[string]string{}, hidden: map[string]bool{}}
	for i := range 20 {
		parent := g.folders[w.draw(len(g.folders))]
		f := w.Folder(parent, fmt.Sprint("f", i))
		g.folders, g.parent[f.ID] = append(g.folders, f.ID), parent
	}
	users := []string{w.User().ID, w.User().ID}
	for i := range 80 {
		version := func() storage.NewVersion {
			v := newVersion(fmt.Sprintf("%s %d.%s", w.pick("Plan", "plan", "Ärger", "ÄRGER", "a%b_c!"), i, w.pick("pdf", "rvt")))
			v.MimeType, v.FileType = w.pick("application/pdf", "text/plain", ""), w.pick("pdf", "rvt", "rv")
			v.Extension.Type = w.pick("versions:portico.core:File", "versions:portico.bim:Document")
			return v
		}
		change := w.ChangeBy(users[w.draw(2)])
		item, err := w.Data.CreateItem(w.Ctx(), change, w.Project.ID,
			newItem(w.Source.UID(), g.folders[w.draw(len(g.folders))], fmt.Sprint("i", 100-i)), version())
		w.Must(err)
		for range w.draw(3) {
			_, err := w.Data.AddVersion(w.Ctx(), w.ChangeBy(users[w.draw(2)]), w.Project.ID, item.Item.ID, version())
			w.Must(err)
		}
		if w.draw(8) == 0 {
			w.Must(w.patchItem(item.Item.ID, storage.ItemPatch{Hidden: ptr(true)}))
		}
		g.items = append(g.items, w.LookItem(item.Item.ID))
	}
	for range 2 {
		id := g.folders[1+w.draw(len(g.folders)-1)]
		w.hide(id, true)
		g.hidden[id] = true
	}
	return g
}

// all returns the visible items in the folder and below it, in the order of the
// tree as Search tells it, after a look at that order.
func (g *grove) all(top string) []storage.ItemWithTip {
	g.Helper()
	listed, next := g.search(top, storage.SearchQuery{}, storage.DataPage{})
	g.Equal("", next)
	want := map[string]bool{}
	for _, i := range g.items {
		if !i.Item.Hidden && g.shown(i.Item.FolderID) && g.below(i.Item.FolderID, top) {
			want[i.Item.ID] = true
		}
	}
	seen := map[string]bool{}
	for n, i := range listed {
		if !want[i.Item.ID] || seen[i.Item.ID] {
			g.Errorf("%s is found, and should not be, or twice", i.Item.Name)
		}
		seen[i.Item.ID] = true
		if n > 0 && listed[n-1].Item.FolderID == i.Item.FolderID && listed[n-1].Item.Name >= i.Item.Name {
			g.Errorf("%s comes before %s", listed[n-1].Item.Name, i.Item.Name)
		}
	}
	if len(seen) != len(want) {
		g.Errorf("%d of %d items are found", len(seen), len(want))
	}
	return listed
}

func (g *grove) shown(folder string) bool {
	for ; folder != ""; folder = g.parent[folder] {
		if g.hidden[folder] {
			return false
		}
	}
	return true
}

func (g *grove) below(folder, top string) bool {
	for ; folder != ""; folder = g.parent[folder] {
		if folder == top {
			return true
		}
	}
	return false
}

func searchRandomTrees(w *Tree) {
	g := w.grove()
	for range 60 {
		top := g.folders[w.draw(len(g.folders))]
		if !g.shown(top) {
			continue
		}
		query, fits, what := w.randomSearch()
		var want []storage.ItemWithTip
		for _, i := range g.all(top) {
			if fits(i.Tip) {
				want = append(want, i)
			}
		}
		limit := 1 + w.draw(9)
		var got []storage.ItemWithTip
		for page := (storage.DataPage{Limit: limit}); ; {
			items, next := w.search(top, query, page)
			got = append(got, items...)
			if page.After = next; next == "" {
				break
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			w.Errorf("%s: %v, want %v", what, itemNames(got), itemNames(want))
		}
	}
}

// randomSearch returns a query of one or two conditions, and the same in Go.
func (w *Tree) randomSearch() (storage.SearchQuery, func(storage.Version) bool, string) {
	query := storage.SearchQuery{
		Texts:   map[storage.SearchField][]storage.TextCondition{},
		Numbers: map[storage.SearchField][]storage.NumberCondition{},
		Times:   map[storage.SearchField][]storage.TimeCondition{},
	}
	var tests []func(storage.Version) bool
	var words []string
	for range 1 + w.draw(2) {
		op := storage.Op(w.pick("eq", "lt", "le", "ge", "gt", "starts", "ends", "contains", "icontains"))
		ordered := op != "starts" && op != "ends" && op != "contains" && op != "icontains"
		switch kind := w.draw(6); {
		case kind < 4:
			field := []storage.SearchField{storage.SearchName, storage.SearchMimeType, storage.SearchFileType,
				storage.SearchExtensionType}[kind]
			values := []string{w.pick("Plan", "plan", "ärg", "rv", "pdf", "text/plain", "application/", "_", "%", "!",
				"versions:portico.core:File", "df"), w.pick("Plan 7", "rvt", "x")}
			query.Texts[field] = append(query.Texts[field], storage.TextCondition{Op: op, Values: values})
			tests = append(tests, func(v storage.Version) bool {
				text := []string{v.Name, v.MimeType, v.FileType, v.Extension.Type}[kind]
				return compareText(op, text, values[0]) || compareText(op, text, values[1])
			})
			words = append(words, fmt.Sprint(field, " ", op, " ", values))
		case kind == 4 && ordered:
			n := int64(1 + w.draw(3))
			query.Numbers[storage.SearchNumber] = append(query.Numbers[storage.SearchNumber],
				storage.NumberCondition{Op: op, Values: []int64{n}})
			tests = append(tests, func(v storage.Version) bool { return compareOrder(op, cmp.Compare(int64(v.Number), n)) })
			words = append(words, fmt.Sprint("number ", op, n))
		case ordered:
			t := w.Now().Add(-time.Duration(w.draw(200)) * time.Second)
			query.Times[storage.SearchCreated] = append(query.Times[storage.SearchCreated],
				storage.TimeCondition{Op: op, Values: []time.Time{t}})
			tests = append(tests, func(v storage.Version) bool { return compareOrder(op, v.CreatedAt.Compare(t)) })
			words = append(words, fmt.Sprint("created ", op, t))
		}
	}
	return query, func(v storage.Version) bool {
		return !slices.ContainsFunc(tests, func(test func(storage.Version) bool) bool { return !test(v) })
	}, strings.Join(words, " and ")
}

func compareText(op storage.Op, text, value string) bool {
	switch op {
	case storage.OpStarts:
		return strings.HasPrefix(text, value)
	case storage.OpEnds:
		return strings.HasSuffix(text, value)
	case storage.OpContains:
		return strings.Contains(text, value)
	case storage.OpIContains:
		return strings.Contains(strings.ToLower(text), strings.ToLower(value))
	}
	return compareOrder(op, cmp.Compare(text, value))
}

func compareOrder(op storage.Op, order int) bool {
	return map[storage.Op]bool{
		storage.OpEqual: order == 0, storage.OpLess: order < 0, storage.OpAtMost: order <= 0, storage.OpAtLeast: order >= 0,
		storage.OpMore: order > 0,
	}[op]
}

func searchFields(w *Tree) {
	user, robot := w.User().ID, w.ServiceAccount().ID
	w.Object("k.txt")
	version := newVersion("First.txt")
	version.Bucket, version.ObjectKey = "bucket", "k.txt"
	created := w.ChangeBy(user)
	item, err := w.Data.CreateItem(w.Ctx(), created, w.Project.ID, newItem(w.Source.UID(), w.Files.ID, "item"), version)
	w.Must(err)
	ref := storage.VersionRef{ItemID: item.Item.ID, Number: 1}
	renamed := w.ChangeBy(robot)
	_, err = w.Data.RenameVersion(w.Ctx(), renamed, w.Project.ID, ref, "Änder.txt")
	w.Must(err)
	w.Item(w.Plans.ID, "other")
	times := func(field storage.SearchField, op storage.Op, t time.Time) storage.SearchQuery {
		return storage.SearchQuery{Times: map[storage.SearchField][]storage.TimeCondition{field: {{Op: op,
			Values: []time.Time{t}}}}}
	}
	numbers := func(field storage.SearchField, op storage.Op, n int64) storage.SearchQuery {
		return storage.SearchQuery{Numbers: map[storage.SearchField][]storage.NumberCondition{field: {{Op: op,
			Values: []int64{n}}}}}
	}
	ids := func(refs ...storage.VersionRef) storage.SearchQuery {
		return storage.SearchQuery{ByID: true, IDs: refs}
	}
	for name, tt := range map[string]struct{ yes, no storage.SearchQuery }{
		"name": {searchText(storage.SearchName, storage.OpEqual, "Änder.txt", "x"),
			searchText(storage.SearchName, storage.OpEqual, "First.txt", "änder.txt")},
		"name starts": {searchText(storage.SearchName, storage.OpStarts, "Än"),
			searchText(storage.SearchName, storage.OpStarts, "än")},
		"name icontains": {searchText(storage.SearchName, storage.OpIContains, "äNDER.T"),
			searchText(storage.SearchName, storage.OpIContains, "ander")},
		"mime type": {searchText(storage.SearchMimeType, storage.OpIContains, "TEXT/"),
			searchText(storage.SearchMimeType, storage.OpContains, "TEXT/")},
		"file type": {searchText(storage.SearchFileType, storage.OpEqual, "txt"),
			searchText(storage.SearchFileType, storage.OpEqual, "pdf")},
		"extension": {searchText(storage.SearchExtensionType, storage.OpEnds, ":File"),
			searchText(storage.SearchExtensionType, storage.OpEnds, ":Document")},
		"extension version": {searchText(storage.SearchExtensionVersion, storage.OpEqual, "1.0"),
			searchText(storage.SearchExtensionVersion, storage.OpMore, "1.0")},
		"created by": {searchText(storage.SearchCreatedBy, storage.OpEqual, user),
			searchText(storage.SearchCreatedBy, storage.OpEqual, robot)},
		"modified by": {searchText(storage.SearchModifiedBy, storage.OpEqual, robot),
			searchText(storage.SearchModifiedBy, storage.OpEqual, user)},
		"created": {times(storage.SearchCreated, storage.OpEqual, created.At),
			times(storage.SearchCreated, storage.OpMore, created.At)},
		"modified": {times(storage.SearchModified, storage.OpAtLeast, renamed.At),
			times(storage.SearchModified, storage.OpLess, renamed.At)},
		"number": {numbers(storage.SearchNumber, storage.OpEqual, 1), numbers(storage.SearchNumber, storage.OpMore, 1)},
		"size":   {numbers(storage.SearchSize, storage.OpEqual, 5), numbers(storage.SearchSize, storage.OpLess, 5)},
		"item":   {ids(storage.VersionRef{ItemID: item.Item.ID}), ids(storage.VersionRef{ItemID: "none"})},
		"tip":    {ids(ref, storage.VersionRef{ItemID: "none"}), ids(storage.VersionRef{ItemID: item.Item.ID, Number: 2})},
		"fits": {storage.SearchQuery{Fits: func(i storage.ItemWithTip) bool { return i.Tip.Size == 5 }},
			storage.SearchQuery{Fits: func(storage.ItemWithTip) bool { return false }}},
		"nothing": {storage.SearchQuery{}, ids()},
	} {
		found, _ := w.search(w.Files.ID, tt.yes, storage.DataPage{})
		if len(found) != 1 || found[0].Item.ID != item.Item.ID {
			w.Errorf("%s: %v", name, itemNames(found))
		}
		if found, _ := w.search(w.Files.ID, tt.no, storage.DataPage{}); len(found) != 0 {
			w.Errorf("not %s: %v", name, itemNames(found))
		}
	}
	found, _ := w.search(w.Files.ID, storage.SearchQuery{}, storage.DataPage{})
	w.Equal([]storage.ItemWithTip{w.LookItem(item.Item.ID)}, found)
	w.Equal(1, len(w.numbers(item.Item.ID, storage.VersionQuery{}, 0)))
}

func searchPages(w *Tree) {
	for i := range 7 {
		w.Item(w.Files.ID, fmt.Sprintf("a%d", 2*i))
		w.Item(w.Folder(w.Files.ID, fmt.Sprint("f", i)).ID, "b")
	}
	for name, query := range map[string]storage.SearchQuery{
		"walked": {}, "looked up": searchText(storage.SearchFileType, storage.OpEqual, "txt"),
		"looked at": {Fits: func(storage.ItemWithTip) bool { return true }},
	} {
		first, cursor := w.search(w.Files.ID, query, storage.DataPage{Limit: 5})
		second, _ := w.search(w.Files.ID, query, storage.DataPage{Limit: 5, After: cursor})
		third, last := w.search(w.Files.ID, query, storage.DataPage{Limit: 5, Number: 2})
		all, _ := w.search(w.Files.ID, query, storage.DataPage{})
		w.Equal(all, slices.Concat(first, second, third))
		w.Equal("", last)
		beyond, next := w.search(w.Files.ID, query, storage.DataPage{Limit: 5, Number: 9})
		w.Equal([]any{0, ""}, []any{len(beyond), next})
		added := w.Item(w.Files.ID, "a0 "+name) // before the cursor
		again, _ := w.search(w.Files.ID, query, storage.DataPage{Limit: 5, After: cursor})
		w.Equal(second, again)
		w.Must(w.patchItem(added.Item.ID, storage.ItemPatch{Hidden: ptr(true)}))
	}
}

func searchHidden(w *Tree) {
	folder := w.Folder(w.Files.ID, "f")
	w.Item(folder.ID, "in hidden")
	gone := w.Item(w.Files.ID, "hidden")
	w.Must(w.patchItem(gone.Item.ID, storage.ItemPatch{Hidden: ptr(true)}))
	w.hide(folder.ID, true)
	other := w.NewProject(w.Hub.ID, "Other")
	for _, id := range []string{w.Files.ID, folder.ID, "none", other.RootFolderID} {
		for _, query := range []storage.SearchQuery{{}, searchText(storage.SearchFileType, storage.OpEqual, "txt")} {
			found, next := w.search(id, query, storage.DataPage{})
			w.Equal([]any{0, ""}, []any{len(found), next})
		}
	}
	query := storage.SearchQuery{Budget: searchBudget}
	found, _, err := w.Data.Search(w.Ctx(), "b.none", w.Files.ID, query, storage.DataPage{})
	w.Must(err)
	w.Equal(0, len(found))
}

func searchPeople(w *Tree) {
	robot := w.ServiceAccount()
	user := w.User()
	user.Profile.Name = "Ada Ä. Person"
	w.Must(w.Store.UpdateUser(w.Ctx(), w.Act(), user, nil))
	nameless := w.User()
	for by, name := range map[string]string{robot.ID: "machine's", user.ID: "Ada's",
		nameless.ID: "nameless", "": "nobody's"} {
		_, err := w.Data.CreateItem(w.Ctx(), w.ChangeBy(by), w.Project.ID,
			newItem(w.Source.UID(), w.Files.ID, name), newVersion(name))
		w.Must(err)
	}
	for _, tt := range []struct {
		op    storage.Op
		value string
		want  string
	}{
		{storage.OpEqual, "Ada Ä. Person", "Ada's"}, {storage.OpEqual, robot.Name, "machine's"},
		{storage.OpEqual, nameless.Username, "nameless"},
		{storage.OpStarts, "Ada", "Ada's"}, {storage.OpIContains, "PERSON", "Ada's"}, {storage.OpContains, "PERSON", ""},
		{storage.OpLess, "A", "nobody's"},
	} {
		found, _ := w.search(w.Files.ID, searchText(storage.SearchCreatedByName, tt.op, tt.value), storage.DataPage{})
		w.Equal(tt.want, strings.Join(itemNames(found), ", "))
		found, _ = w.search(w.Files.ID, searchText(storage.SearchModifiedByName, tt.op, tt.value), storage.DataPage{})
		w.Equal(tt.want, strings.Join(itemNames(found), ", "))
	}
	many := make([]string, 300)
	for i := range many {
		many[i] = "A"
	}
	found, _ := w.search(w.Files.ID, searchText(storage.SearchCreatedByName, storage.OpLess, many...), storage.DataPage{})
	w.Equal([]string{"nobody's"}, itemNames(found))
	found, _ = w.search(w.Files.ID, searchText(storage.SearchCreatedByName, storage.OpEqual,
		append(many, robot.Name, user.Profile.Name)...), storage.DataPage{})
	w.Equal([]string{"Ada's", "machine's"}, itemNames(found))
}

func searchRefused(w *Tree) {
	times := map[storage.SearchField][]storage.TimeCondition{storage.SearchCreated: {{Op: storage.OpStarts,
		Values: []time.Time{w.Now()}}}}
	for _, query := range []storage.SearchQuery{{Times: times}, searchText(storage.SearchName, "like", "x")} {
		query.Budget = searchBudget
		_, _, err := w.Data.Search(w.Ctx(), w.Project.ID, w.Files.ID, query, storage.DataPage{})
		w.Refused(err, fault.Invalid, "")
	}
	for _, page := range []storage.DataPage{{Limit: 201}, {Number: -1}, {After: "1/:x"}, {After: "1/:x:y"}} {
		_, _, err := w.Data.Search(w.Ctx(), w.Project.ID, w.Files.ID, storage.SearchQuery{Budget: searchBudget}, page)
		w.Refused(err, fault.Invalid, "")
	}
}
