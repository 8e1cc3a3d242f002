package storagetest

import (
	"fmt"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func refChecks() []treeCheck {
	return []treeCheck{
		{"a reference is found from both ends, with what it says", refFromBothEnds},
		{"AddRefs adds all or none, and what is there stays as it is", addRefs},
		{"AddRefs refuses absent ends, a thing itself and an archived project", addRefsRefused},
		{"RemoveRefs removes those named, and those not there are no change", removeRefs},
		{"ListRefs narrows by direction, kind, end and type, and pages in the order of making", listRefs},
		{"references go with either end", refsGoWithEnds},
		{"a change of references tells of itself once", refsTell},
	}
}

// Ends of things.
func ofFolder(f storage.Folder) storage.End    { return storage.End{FolderID: f.ID} }
func ofItem(i storage.ItemWithTip) storage.End { return storage.End{ItemID: i.Item.ID} }
func ofVersion(i storage.ItemWithTip, n int) storage.End {
	return storage.End{ItemID: i.Item.ID, Version: n}
}

func refType(name string) storage.Extension {
	return storage.Extension{Type: name, Version: "1.0", Data: `{"nestedType":"overlay"}`}
}

const xref, derived = "xrefs:portico.core:Xref", "derived:portico.core:Print"

func (w *Tree) refer(from, to storage.End, kind string) {
	w.Helper()
	w.Must(w.Data.AddRefs(w.Ctx(), w.Change(), w.Project.ID, from, []storage.Ref{{To: to, Extension: refType(kind)}}))
}

func (w *Tree) refs(of storage.End, query storage.RefQuery) []storage.Ref {
	w.Helper()
	refs, _, err := w.Data.ListRefs(w.Ctx(), w.Project.ID, of, query, storage.PageRequest{})
	w.Must(err)
	return refs
}

// others returns what is at the other ends.
func (w *Tree) others(of storage.End, query storage.RefQuery) []storage.End {
	w.Helper()
	var ends []storage.End
	for _, ref := range w.refs(of, query) {
		other, _ := ref.Other(of)
		ends = append(ends, other)
	}
	return ends
}

func refFromBothEnds(w *Tree) {
	item := w.Item(w.Plans.ID, "i")
	user := w.User().ID
	change := w.ChangeBy(user)
	want := []storage.Ref{{
		From: ofFolder(w.Files), To: ofVersion(item, 1), Extension: refType(xref), CreatedAt: change.At, CreatedBy: user,
	}}
	w.Must(w.Data.AddRefs(w.Ctx(), change, w.Project.ID, ofFolder(w.Files),
		[]storage.Ref{{To: ofVersion(item, 1), Extension: refType(xref)}}))
	w.Equal(want, w.refs(ofFolder(w.Files), storage.RefQuery{}))
	w.Equal(want, w.refs(ofVersion(item, 1), storage.RefQuery{}))
	other, outward := want[0].Other(ofFolder(w.Files))
	w.Equal([]any{ofVersion(item, 1), true}, []any{other, outward})
	other, outward = want[0].Other(ofVersion(item, 1))
	w.Equal([]any{ofFolder(w.Files), false}, []any{other, outward})
	for _, not := range []storage.End{ofItem(item), ofVersion(item, 2), ofFolder(w.Plans), {ItemID: "none"}} {
		w.Equal([]storage.Ref(nil), w.refs(not, storage.RefQuery{}))
	}
	elsewhere, _, err := w.Data.ListRefs(w.Ctx(), "b.none", ofFolder(w.Files), storage.RefQuery{}, storage.PageRequest{})
	w.Must(err)
	w.Equal(0, len(elsewhere))
}

func addRefs(w *Tree) {
	a, b := w.Item(w.Files.ID, "a"), w.Item(w.Files.ID, "b")
	from := ofItem(a)
	w.refer(from, ofItem(b), xref)
	before := w.refs(from, storage.RefQuery{})
	again := []storage.Ref{{To: ofItem(b), Extension: storage.Extension{Type: xref, Version: "2.0"}}}
	w.Must(w.Data.AddRefs(w.Ctx(), w.Change(), w.Project.ID, from, again))
	w.Equal(before, w.refs(from, storage.RefQuery{}))
	w.refer(from, ofItem(b), derived)
	w.refer(ofItem(b), from, xref)
	w.Equal([]storage.End{ofItem(b), ofItem(b), ofItem(b)}, w.others(from, storage.RefQuery{}))
	w.Unchanged(fault.NotFound, "", func() error {
		refs := []storage.Ref{{To: ofFolder(w.Files), Extension: refType(xref)},
			{To: ofVersion(b, 2), Extension: refType(xref)}}
		return w.Data.AddRefs(w.Ctx(), w.Change(), w.Project.ID, from, refs)
	})
	w.Equal(3, len(w.refs(from, storage.RefQuery{})))
}

func addRefsRefused(w *Tree) {
	item := w.Item(w.Files.ID, "i")
	other := w.NewProject(w.Hub.ID, "Other").RootFolderID
	try := func(from, to storage.End) func() error {
		return func() error {
			return w.Data.AddRefs(w.Ctx(), w.Change(), w.Project.ID, from, []storage.Ref{{To: to, Extension: refType(xref)}})
		}
	}
	for _, absent := range []storage.End{{ItemID: "none"}, {FolderID: "none"}, {FolderID: other}, ofVersion(item, 2),
		{ItemID: item.Item.ID, Version: 9}} {
		w.Unchanged(fault.NotFound, "", try(ofFolder(w.Files), absent))
		w.Unchanged(fault.NotFound, "", try(absent, ofFolder(w.Files)))
	}
	w.Unchanged(fault.Invalid, storage.ReasonSameEnd, try(ofItem(item), ofItem(item)))
	w.Must(try(ofItem(item), ofVersion(item, 1))())
	w.setArchived(true)
	w.Unchanged(fault.Locked, storage.ReasonProjectArchived, try(ofItem(item), ofFolder(w.Files)))
	w.Unchanged(fault.Locked, storage.ReasonProjectArchived, func() error {
		return w.Data.RemoveRefs(w.Ctx(), w.Change(), w.Project.ID, w.refs(ofItem(item), storage.RefQuery{}))
	})
}

func removeRefs(w *Tree) {
	a, b := ofItem(w.Item(w.Files.ID, "a")), ofItem(w.Item(w.Files.ID, "b"))
	w.refer(a, b, xref)
	w.refer(a, b, derived)
	w.refer(b, a, xref)
	name := storage.Ref{From: a, To: b, Extension: storage.Extension{Type: xref}}
	remove := func() error { return w.Data.RemoveRefs(w.Ctx(), w.Change(), w.Project.ID, []storage.Ref{name}) }
	w.Must(remove())
	var left []string
	for _, ref := range w.refs(a, storage.RefQuery{}) {
		left = append(left, fmt.Sprint(ref.From == a, " ", ref.Extension.Type))
	}
	w.Equal([]string{"true " + derived, "false " + xref}, left)
	before := w.Events(storage.EventQuery{})
	w.Must(remove())
	name.To = storage.End{ItemID: "none"}
	w.Must(remove())
	w.Equal(before, w.Events(storage.EventQuery{}))
}

func listRefs(w *Tree) {
	asked, item := ofFolder(w.Files), w.Item(w.Files.ID, "i")
	w.refer(asked, ofItem(item), xref)
	w.refer(asked, ofVersion(item, 1), derived)
	w.refer(ofFolder(w.Plans), asked, xref)
	w.refer(ofVersion(item, 1), asked, xref)
	plans, one, version := ofFolder(w.Plans), ofItem(item), ofVersion(item, 1)
	types := func(op storage.Op, value string) []storage.TextCondition {
		return []storage.TextCondition{{Op: op, Values: []string{value}}}
	}
	for name, tt := range map[string]struct {
		query storage.RefQuery
		want  []storage.End
	}{
		"all":      {storage.RefQuery{}, []storage.End{one, version, plans, version}},
		"outward":  {storage.RefQuery{NoInward: true}, []storage.End{one, version}},
		"inward":   {storage.RefQuery{NoOutward: true}, []storage.End{plans, version}},
		"none":     {storage.RefQuery{NoOutward: true, NoInward: true}, nil},
		"folders":  {storage.RefQuery{NoItems: true, NoVersions: true}, []storage.End{plans}},
		"items":    {storage.RefQuery{NoFolders: true, NoVersions: true}, []storage.End{one}},
		"versions": {storage.RefQuery{NoFolders: true, NoItems: true}, []storage.End{version, version}},
		"ends":     {storage.RefQuery{ByEnd: true, Ends: []storage.End{plans, one}}, []storage.End{one, plans}},
		"no end":   {storage.RefQuery{ByEnd: true}, nil},
		"type":     {storage.RefQuery{ExtensionTypes: types(storage.OpEqual, derived)}, []storage.End{version}},
		"kind": {storage.RefQuery{ExtensionTypes: types(storage.OpStarts, "xrefs:")},
			[]storage.End{one, plans, version}},
		"several": {storage.RefQuery{NoInward: true, ExtensionTypes: types(storage.OpStarts, "xrefs:")},
			[]storage.End{one}},
		"the end itself": {storage.RefQuery{ByEnd: true, Ends: []storage.End{asked}}, nil},
	} {
		if got := w.others(asked, tt.query); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			w.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	var paged []storage.Ref
	for page := (storage.PageRequest{Limit: 3}); ; {
		refs, next, err := w.Data.ListRefs(w.Ctx(), w.Project.ID, asked, storage.RefQuery{}, page)
		w.Must(err)
		paged = append(paged, refs...)
		if page.After = next; next == "" {
			break
		}
	}
	w.Equal(w.refs(asked, storage.RefQuery{}), paged)
	for _, bad := range []storage.PageRequest{{Limit: 201}, {Limit: -1}, {After: "x"}} {
		_, _, err := w.Data.ListRefs(w.Ctx(), w.Project.ID, asked, storage.RefQuery{}, bad)
		w.Refused(err, fault.Invalid, "")
	}
	_, _, err := w.Data.ListRefs(w.Ctx(), w.Project.ID, asked, storage.RefQuery{ExtensionTypes: types("like", "x")},
		storage.PageRequest{})
	w.Refused(err, fault.Invalid, "")
}

func refsGoWithEnds(w *Tree) {
	folder, item := w.Folder(w.Files.ID, "f"), w.Item(w.Files.ID, "i")
	w.refer(ofFolder(folder), ofFolder(w.Plans), xref)
	w.refer(ofFolder(w.Plans), ofVersion(item, 1), xref)
	w.refer(ofItem(item), ofFolder(folder), xref)
	w.hide(folder.ID, true)
	w.Must(w.patchItem(item.Item.ID, storage.ItemPatch{Hidden: ptr(true)}))
	w.Equal(2, len(w.refs(ofFolder(w.Plans), storage.RefQuery{}))) // hidden: still there
	_, err := w.Data.PurgeHidden(w.Ctx(), w.Change(), w.Project.ID, w.Now(), 10)
	w.Must(err)
	w.Equal(0, len(w.refs(ofFolder(w.Plans), storage.RefQuery{})))
}

func refsTell(w *Tree) {
	item := w.Item(w.Plans.ID, "i")
	w.refer(ofVersion(item, 1), ofFolder(w.Files), xref)
	w.refer(ofVersion(item, 1), ofFolder(w.Files), xref)
	w.Must(w.Data.RemoveRefs(w.Ctx(), w.Change(), w.Project.ID, w.refs(ofVersion(item, 1), storage.RefQuery{})))
	w.Told(item.Item.ID, storage.EventRefRemoved, storage.EventRefAdded, storage.EventItemCreated)
	event := w.Events(storage.EventQuery{Subject: item.Item.ID})[1]
	w.Equal([]string{w.Plans.ID, `{"from":"version ` + item.Item.ID + ` 1","to":"folder ` + w.Files.ID +
		`","type":"` + xref + `"}`},
		[]string{event.FolderID, event.Data})
}
