package storagetest

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func hyperlinkChecks() []treeCheck {
	return []treeCheck{
		{"links hang on folders, items and versions, each on its own", linksOfThings},
		{"ListLinks pages in the order of making, and FindLinks finds by id", listLinks},
		{"AddLinks adds all or none, and refuses absent things, taken ids and an archived project", addLinksRefused},
		{"RemoveLinks removes the thing's own links, and tells of each once", removeLinks},
		{"links go with what they hang on", linksGo},
	}
}

func (w *Tree) newLink(name string) storage.Link {
	return storage.Link{
		ID: w.Source.UUID(), Href: "https://example.test/" + name, MimeType: "text/html",
		Extension: storage.Extension{Type: "links:portico.core:Link", Version: "1.0", Data: `{"a":1}`},
	}
}

func (w *Tree) link(of storage.End, name string) storage.Link {
	w.Helper()
	link, change := w.newLink(name), w.Change()
	w.Must(w.Data.AddLinks(w.Ctx(), change, w.Project.ID, of, []storage.Link{link}))
	link.CreatedAt = change.At
	return link
}

func (w *Tree) links(of storage.End, page storage.PageRequest) ([]storage.Link, string) {
	w.Helper()
	links, next, err := w.Data.ListLinks(w.Ctx(), w.Project.ID, of, page)
	w.Must(err)
	return links, next
}

func linksOfThings(w *Tree) {
	item := w.Item(w.Files.ID, "i")
	for _, of := range []storage.End{ofFolder(w.Files), ofItem(item), ofVersion(item, 1)} {
		want := []storage.Link{w.link(of, "one"), w.link(of, "two")}
		got, next := w.links(of, storage.PageRequest{})
		w.Equal(want, got)
		w.Equal("", next)
	}
	for _, none := range []storage.End{ofFolder(w.Plans), ofVersion(item, 2), {ItemID: "none"}} {
		got, _ := w.links(none, storage.PageRequest{})
		w.Equal(0, len(got))
	}
	w.Told(w.Files.ID, storage.EventLinkAdded, storage.EventLinkAdded)
}

func listLinks(w *Tree) {
	of := ofFolder(w.Files)
	var want, paged []storage.Link
	for _, name := range []string{"c", "a", "b"} {
		want = append(want, w.link(of, name))
	}
	for page := (storage.PageRequest{Limit: 2}); ; {
		links, next := w.links(of, page)
		paged = append(paged, links...)
		if page.After = next; next == "" {
			break
		}
	}
	w.Equal(want, paged)
	found, err := w.Data.FindLinks(w.Ctx(), w.Project.ID, of, []string{want[2].ID, want[0].ID, "none"})
	w.Must(err)
	w.Equal([]storage.Link{want[0], want[2]}, found)
	found, err = w.Data.FindLinks(w.Ctx(), w.Project.ID, ofFolder(w.Plans), []string{want[0].ID})
	w.Must(err)
	w.Equal(0, len(found))
	for _, bad := range []storage.PageRequest{{Limit: 201}, {After: "x"}} {
		_, _, err := w.Data.ListLinks(w.Ctx(), w.Project.ID, of, bad)
		w.Refused(err, fault.Invalid, "")
	}
}

func addLinksRefused(w *Tree) {
	of := ofFolder(w.Files)
	taken := w.link(of, "taken")
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.AddLinks(w.Ctx(), w.Change(), w.Project.ID, storage.End{ItemID: "none"}, []storage.Link{w.newLink("x")})
	})
	w.Unchanged(fault.Conflict, "", func() error {
		return w.Data.AddLinks(w.Ctx(), w.Change(), w.Project.ID, of, []storage.Link{w.newLink("x"), taken})
	})
	w.setArchived(true)
	w.Unchanged(fault.Locked, storage.ReasonProjectArchived, func() error {
		return w.Data.AddLinks(w.Ctx(), w.Change(), w.Project.ID, of, []storage.Link{w.newLink("x")})
	})
	w.Unchanged(fault.Locked, storage.ReasonProjectArchived, func() error {
		return w.Data.RemoveLinks(w.Ctx(), w.Change(), w.Project.ID, of, []string{taken.ID})
	})
	got, _ := w.links(of, storage.PageRequest{})
	w.Equal([]storage.Link{taken}, got)
}

func removeLinks(w *Tree) {
	item := w.Item(w.Files.ID, "i")
	gone, kept, elsewhere := w.link(ofItem(item), "gone"), w.link(ofItem(item), "kept"),
		w.link(ofVersion(item, 1), "elsewhere")
	for range 2 {
		w.Must(w.Data.RemoveLinks(w.Ctx(), w.Change(), w.Project.ID, ofItem(item), []string{gone.ID, elsewhere.ID, "none"}))
	}
	got, _ := w.links(ofItem(item), storage.PageRequest{})
	w.Equal([]storage.Link{kept}, got)
	got, _ = w.links(ofVersion(item, 1), storage.PageRequest{})
	w.Equal([]storage.Link{elsewhere}, got)
	added := storage.EventLinkAdded
	w.Told(item.Item.ID, storage.EventLinkRemoved, added, added, added, storage.EventItemCreated)
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.RemoveLinks(w.Ctx(), w.Change(), w.Project.ID, storage.End{FolderID: "none"}, []string{kept.ID})
	})
}

func linksGo(w *Tree) {
	item := w.Item(w.Files.ID, "i")
	w.link(ofVersion(item, 1), "x")
	w.Must(w.patchItem(item.Item.ID, storage.ItemPatch{Hidden: ptr(true)}))
	got, _ := w.links(ofVersion(item, 1), storage.PageRequest{})
	w.Equal(1, len(got))
	_, err := w.Data.PurgeHidden(w.Ctx(), w.Change(), w.Project.ID, w.Now(), 10)
	w.Must(err)
	got, _ = w.links(ofVersion(item, 1), storage.PageRequest{})
	w.Equal(0, len(got))
}
