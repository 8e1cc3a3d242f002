package storagetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func contentsChecks() []treeCheck {
	return []treeCheck{
		{"ListContents returns folders, then items with their tips, each by name key", listContents},
		{"ListContents leaves hidden things out, includes them, or returns only them", contentsHidden},
		{"ListContents pages by cursor and by number, in both directions, at every page size", contentsPages},
		{"a cursor goes on where its page has ended, whatever was added, renamed and hidden meanwhile", contentsUnderWriters},
		{"ListContents narrows by kind, id, extension type and rollup time, before the page is cut", contentsFilters},
		{"ListContents narrows by what lies in the data of extensions", contentsByData},
		{"ListContents narrows by a part of the name", contentsByPart},
		{"ListContents has the items that were changed last first, at every page size", contentsNewest},
		{"ListContents read again has what is there now, whoever changed it", contentsAgain},
		{"ListContents refuses pages and cursors that are none", contentsRefused},
	}
}

func listContents(w *Tree) {
	for _, name := range []string{"Zebra", "apple", "Éclair", "Banana"} {
		w.Folder(w.Files.ID, name)
		w.Item(w.Files.ID, name+".txt")
	}
	deep := w.Folder(w.Plans.ID, "deep")
	w.Item(deep.ID, "deep.txt")
	w.Equal([]string{"apple/", "Banana/", "Zebra/", "Éclair/", "apple.txt", "Banana.txt", "Zebra.txt", "Éclair.txt"},
		w.Names(w.Files.ID, storage.ContentsQuery{}))
	contents, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.Files.ID, storage.ContentsQuery{}, storage.DataPage{})
	w.Must(err)
	w.Equal("", contents.Next)
	for _, f := range contents.Folders {
		w.Equal(w.Look(f.ID), f)
	}
	for _, i := range contents.Items {
		w.Equal(w.LookItem(i.Item.ID), i)
	}
}

func contentsHidden(w *Tree) {
	w.hide(w.Folder(w.Files.ID, "hidden").ID, true)
	w.Folder(w.Files.ID, "shown")
	w.Item(w.Files.ID, "shown.txt")
	item := w.Item(w.Files.ID, "hidden.txt")
	_, err := w.Data.UpdateItem(w.Ctx(), w.Change(), w.Project.ID, item.Item.ID, storage.ItemPatch{Hidden: ptr(true)})
	w.Must(err)
	for filter, want := range map[storage.HiddenFilter][]string{
		storage.HiddenExcluded: {"shown/", "shown.txt"},
		storage.HiddenIncluded: {"hidden/", "shown/", "hidden.txt", "shown.txt"},
		storage.HiddenOnly:     {"hidden/", "hidden.txt"},
	} {
		w.Equal(want, w.Names(w.Files.ID, storage.ContentsQuery{Hidden: filter}))
	}
	w.Equal([]string{"shown.txt"}, w.Names(w.Files.ID, storage.ContentsQuery{Named: "SHOWN.txt"}))
}

func contentsByPart(w *Tree) {
	for _, name := range []string{"Éclair 50%", "apple"} {
		w.Folder(w.Files.ID, name)
		w.Item(w.Files.ID, name+".txt")
	}
	for part, want := range map[string][]string{
		"éCLAIR": {"Éclair 50%/", "Éclair 50%.txt"}, "50%": {"Éclair 50%/", "Éclair 50%.txt"},
		"%":    {"Éclair 50%/", "Éclair 50%.txt"},
		"E.TX": {"apple.txt"}, "none": nil,
	} {
		w.Equal(want, w.Names(w.Files.ID, storage.ContentsQuery{Part: part}))
	}
}

func contentsNewest(w *Tree) {
	w.Folder(w.Files.ID, "z")
	w.Folder(w.Files.ID, "y")
	for _, name := range []string{"a.txt", "b.txt", "c.txt", "d.txt"} {
		w.Item(w.Files.ID, name)
	}
	w.Version(w.named("b.txt"), newVersion("b.txt"))
	query := storage.ContentsQuery{Newest: true}
	for _, limit := range []int{1, 2, 3, 4, 10} {
		w.Equal([]string{"y/", "z/", "b.txt", "d.txt", "c.txt", "a.txt"}, w.pages(w.Files.ID, query, limit))
	}
	_, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.Files.ID, query, storage.DataPage{After: "i:1:x"})
	w.Refused(err, fault.Invalid, "")
}

// named is the uid of the item with the name.
func (w *Tree) named(name string) string {
	w.Helper()
	found, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.Files.ID,
		storage.ContentsQuery{NoFolders: true, Named: name}, storage.DataPage{})
	w.Must(err)
	return found.Items[0].Item.ID
}

// pages reads a folder page by page, by cursor and by number, and checks that
// both come to the same.
func (w *Tree) pages(folderID string, query storage.ContentsQuery, limit int) []string {
	w.Helper()
	var names []string
	after := ""
	for n := 0; ; n++ {
		page, err := w.Data.ListContents(w.Ctx(), w.Project.ID, folderID, query, storage.DataPage{After: after, Limit: limit})
		w.Must(err)
		numbered, err := w.Data.ListContents(w.Ctx(), w.Project.ID, folderID, query,
			storage.DataPage{Number: n, Limit: limit})
		w.Must(err)
		w.Equal(page, numbered)
		names = append(names, namesOf(page)...)
		if after = page.Next; after == "" {
			return names
		}
		if got := len(page.Folders) + len(page.Items); got != limit {
			w.Errorf("page %d of limit %d has %d rows and is not the last", n, limit, got)
			return names
		}
	}
}

func contentsPages(w *Tree) {
	for i := range 5 {
		w.Folder(w.Files.ID, fmt.Sprint("f", i))
		w.Item(w.Files.ID, fmt.Sprint("i", i))
	}
	want := []string{"f0/", "f1/", "f2/", "f3/", "f4/", "i0", "i1", "i2", "i3", "i4"}
	reversed := []string{"f4/", "f3/", "f2/", "f1/", "f0/", "i4", "i3", "i2", "i1", "i0"}
	for limit := 1; limit <= 11; limit++ {
		w.Equal(want, w.pages(w.Files.ID, storage.ContentsQuery{}, limit))
		w.Equal(reversed, w.pages(w.Files.ID, storage.ContentsQuery{Descending: true}, limit))
		w.Equal(want[:5], w.pages(w.Files.ID, storage.ContentsQuery{NoItems: true}, limit))
		w.Equal(want[5:], w.pages(w.Files.ID, storage.ContentsQuery{NoFolders: true}, limit))
	}
	w.Equal([]string(nil), w.pages(w.Plans.ID, storage.ContentsQuery{}, 3))
	beyond, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.Files.ID, storage.ContentsQuery{},
		storage.DataPage{Number: 9})
	w.Must(err)
	w.Equal(storage.Contents{}, beyond)
}

func contentsUnderWriters(w *Tree) {
	var stay []string
	for i := range 40 {
		stay = append(stay, fmt.Sprintf("%02d", i))
		w.Item(w.Files.ID, stay[i])
		if i%4 == 0 {
			w.Folder(w.Files.ID, stay[i])
		}
	}
	var seen []string
	for n, after := 0, ""; ; n++ {
		page, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.Files.ID, storage.ContentsQuery{},
			storage.DataPage{After: after, Limit: 7})
		w.Must(err)
		seen = append(seen, namesOf(page)...)
		if after = page.Next; after == "" {
			break
		}
		w.Folder(w.Files.ID, fmt.Sprint("00 new ", n)) // before the cursor, and behind it
		w.Item(w.Files.ID, fmt.Sprint("99 new ", n))
		passing := w.Item(w.Files.ID, fmt.Sprint("20 passing ", n)).Item.ID
		_, err = w.Data.UpdateItem(w.Ctx(), w.Change(), w.Project.ID, passing, storage.ItemPatch{Hidden: ptr(true)})
		w.Must(err)
	}
	for _, name := range stay {
		if n := len(slices.DeleteFunc(slices.Clone(seen), func(s string) bool { return s != name })); n != 1 {
			w.Errorf("item %s was seen %d times", name, n)
		}
	}
}

func contentsFilters(w *Tree) {
	folder, item := w.Folder(w.Files.ID, "folder"), w.Item(w.Files.ID, "item")
	w.Folder(w.Files.ID, "other")
	typed := newItem(w.Source.UID(), w.Files.ID, "typed")
	typed.Extension.Type = "items:portico.core:Drawing"
	_, err := w.Data.CreateItem(w.Ctx(), w.Change(), w.Project.ID, typed, newVersion("typed"))
	w.Must(err)
	before := w.Now()
	late := w.Item(folder.ID, "late") // its folder rolls up
	at := late.Item.ModifiedAt
	text := func(op storage.Op, values ...string) []storage.TextCondition {
		return []storage.TextCondition{{Op: op, Values: values}}
	}
	times := func(op storage.Op, values ...time.Time) []storage.TimeCondition {
		return []storage.TimeCondition{{Op: op, Values: values}}
	}
	for _, c := range []struct {
		query storage.ContentsQuery
		want  []string
	}{
		{storage.ContentsQuery{ByID: true}, nil},
		{storage.ContentsQuery{ByID: true, FolderIDs: []string{folder.ID, item.Item.ID}}, []string{"folder/"}},
		{storage.ContentsQuery{ByID: true, ItemIDs: []string{item.Item.ID}}, []string{"item"}},
		{storage.ContentsQuery{ExtensionTypes: text(storage.OpEqual, "items:portico.core:Drawing")}, []string{"typed"}},
		{storage.ContentsQuery{ExtensionTypes: text(storage.OpStarts, "folders:")}, []string{"folder/", "other/"}},
		{storage.ContentsQuery{ExtensionTypes: text(storage.OpEqual, "items:portico.core:Drawing",
			"items:portico.core:File")}, []string{"item", "typed"}},
		{storage.ContentsQuery{Rollup: times(storage.OpMore, before)}, []string{"folder/"}},
		{storage.ContentsQuery{Rollup: times(storage.OpEqual, at, before)}, []string{"folder/", "typed"}},
		{storage.ContentsQuery{Rollup: times(storage.OpLess, before), NoItems: true}, []string{"other/"}},
		{storage.ContentsQuery{Rollup: append(times(storage.OpAtMost, at), times(storage.OpAtLeast, at)...)},
			[]string{"folder/"}},
		{storage.ContentsQuery{ExtensionTypes: text(storage.OpEqual)}, nil},
	} {
		w.Equal(c.want, w.Names(w.Files.ID, c.query))
		w.Equal(c.want, w.pages(w.Files.ID, c.query, 1))
	}
	_, err = w.Data.ListContents(w.Ctx(), w.Project.ID, w.Files.ID,
		storage.ContentsQuery{Rollup: times(storage.OpStarts, at)}, storage.DataPage{})
	w.Refused(err, fault.Invalid, "")
}

func contentsByData(w *Tree) {
	for name, data := range map[string]string{
		"plain": "", "one": `{"phase":{"name":"Design","number":7},"open":true}`,
		"two": `{"phase":{"name":"design","number":70.5},"tags":["a","b"]}`,
	} {
		_, err := w.Data.CreateFolder(w.Ctx(), w.Change(), w.Project.ID, storage.Folder{
			ParentID: w.Files.ID, ID: w.Source.UID(), Name: name,
			Extension: storage.Extension{Type: "folders:x:Y", Version: "1.0", Data: data},
		})
		w.Must(err)
	}
	for _, c := range []struct {
		path  string
		op    storage.Op
		value string
		want  []string
	}{
		{"phase.name", storage.OpEqual, "Design", []string{"one/"}},
		{"phase.name", storage.OpContains, "esign", []string{"one/", "two/"}},
		{"phase.name", storage.OpStarts, "D", []string{"one/"}},
		{"phase.name", storage.OpMore, "Z", []string{"two/"}},
		{"phase.number", storage.OpLess, "8", []string{"one/"}},
		{"phase.number", storage.OpEqual, "7.0", []string{"one/"}},
		{"phase.number", storage.OpAtLeast, "7", []string{"one/", "two/"}},
		{"phase.number", storage.OpEnds, ".5", []string{"two/"}},
		{"open", storage.OpEqual, "true", []string{"one/"}},
		{"tags", storage.OpEqual, "b|x", []string{"two/"}},
		{"tags", storage.OpEqual, "c", nil},
		{"phase", storage.OpEqual, "Design", nil},
		{"phase.name.x", storage.OpEqual, "Design", nil},
		{"other", storage.OpEqual, "null", nil},
	} {
		query := storage.ContentsQuery{Data: []storage.DataCondition{{Path: strings.Split(c.path, "."), Op: c.op,
			Values: strings.Split(c.value, "|")}}}
		w.Equal(c.want, w.pages(w.Files.ID, query, 1))
	}
	for _, path := range [][]string{{`a"b`}, {`a\`}, {""}} {
		query := storage.ContentsQuery{Data: []storage.DataCondition{{Path: path, Op: storage.OpEqual,
			Values: []string{"x"}}}}
		_, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.Files.ID, query, storage.DataPage{})
		w.Refused(err, fault.Invalid, "")
	}
}

func contentsRefused(w *Tree) {
	for _, page := range []storage.DataPage{
		{Limit: -1}, {Limit: 201}, {Number: -1}, {After: "x"}, {After: "f"}, {After: "f:1"}, {After: "i:a:b"},
	} {
		_, err := w.Data.ListContents(w.Ctx(), w.Project.ID, w.Files.ID, storage.ContentsQuery{}, page)
		w.Refused(err, fault.Invalid, "")
	}
}
