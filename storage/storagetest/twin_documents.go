package storagetest

import (
	"slices"
	"sync"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func twinDocumentChecks() []treeCheck {
	return []treeCheck{
		{"ImportDocument adds a document, and a newer version keeps its id", importDocument},
		{"of several who import one file at once one adds the document", importAtOnce},
		{"RefreshDocument takes newer bytes, unless there are others by now", refreshDocument},
		{"SetDocumentState tells of what changes alone", setDocumentState},
		{"UpdateDocument changes what is said of a document", updateDocumentCheck},
		{"values lead to documents and documents to values, until one of them goes", documentUses},
		{"ListDocuments pages, and narrows by state, element and source", listDocuments},
		{"bytes are noted until a document has them, and from when it has others", notedBlobs},
		{"Advance makes documents due once, and never goes back", advance},
		{"new bytes and rights that end or begin make documents due", dueWithoutEvents},
		{"what happens to a service account makes due what follows in its name", dueOfRobots},
		{"what became due while somebody looked stays due", dueAnew},
	}
}

// document is one that could be imported: version n of an item.
func (t *Twin) document(item string, version int) storage.TwinDocument {
	change := t.Change()
	return storage.TwinDocument{
		ID: t.Source.UID(), FacilityID: t.Facility.ID, Name: item + ".pdf", ContentType: "application/pdf",
		Blob: t.Source.UID(), Size: int64(1000 + version), SHA256: t.Source.Bytes(32),
		CreatedAt: change.At, UpdatedAt: change.At,
		Source: storage.TwinSource{HubID: t.Hub.ID, ProjectID: t.Project.ID, ItemID: item, Version: version}, Newest: version,
		Policy: storage.PolicyAuto, State: storage.DocumentReady,
		By: storage.Caller{ClientID: "app", UserID: "USER", OnBehalf: true},
	}
}

func (t *Twin) imported(item string) storage.TwinDocument {
	t.Helper()
	document, _, err := t.Data.ImportDocument(t.Ctx(), t.Change(), t.document(item, 1))
	t.Must(err)
	return document
}

// looked says that somebody has looked at the original of a document, so that it
// is not due any more.
func (t *Twin) looked(ids ...string) {
	t.Helper()
	for _, id := range ids {
		t.Must(t.Data.SetDocumentState(t.Ctx(), t.Change(), t.look(id)))
	}
}

// same compares documents in all but when they are due, which due tells.
func (t *Twin) same(want, got storage.TwinDocument) {
	t.Helper()
	want.DueAt = got.DueAt
	t.Equal(want, got)
}

func (t *Twin) look(id string) storage.TwinDocument {
	t.Helper()
	document, err := t.Data.FindDocument(t.Ctx(), t.Facility.ID, id)
	t.Must(err)
	return document
}

func importDocument(w *Tree) {
	t := w.NewTwin("Tower")
	first := t.document("item", 1)
	first.Label = "Manual"
	got, what, err := w.Data.ImportDocument(w.Ctx(), w.Change(), first)
	w.Must(err)
	t.same(first, got)
	t.same(first, t.look(first.ID))
	w.Equal(storage.ImportedNew, what)
	again, what, err := w.Data.ImportDocument(w.Ctx(), w.Change(), t.document("item", 1))
	w.Must(err)
	t.same(first, again)
	w.Equal(storage.ImportedAlready, what)
	newer := t.document("item", 3)
	newer.Name, newer.Policy = "Other.pdf", storage.PolicyPin
	got, what, err = w.Data.ImportDocument(w.Ctx(), w.Change(), newer)
	w.Must(err)
	want := newer
	want.ID, want.CreatedAt, want.Label, want.Revision = first.ID, first.CreatedAt, "Manual", 1
	t.same(want, got)
	t.same(want, t.look(first.ID))
	w.Equal(storage.ImportedNewer, what)
	w.Told(t.Facility.ID, storage.EventDocumentUpdated, storage.EventDocumentImported, storage.EventTwinCreated)
	w.Unchanged(fault.Conflict, storage.ReasonOlderVersion, func() error {
		_, _, err := w.Data.ImportDocument(w.Ctx(), w.Change(), t.document("item", 2))
		return err
	})
	elsewhere := t.document("item", 1)
	elsewhere.FacilityID = "none"
	w.Unchanged(fault.NotFound, "", func() error {
		_, _, err := w.Data.ImportDocument(w.Ctx(), w.Change(), elsewhere)
		return err
	})
	other := w.NewTwin("Other").imported("item")
	if other.ID == first.ID {
		w.Error("two facilities share a document")
	}
	_, err = w.Data.FindDocument(w.Ctx(), t.Facility.ID, other.ID)
	w.Refused(err, fault.NotFound, "")
}

func importAtOnce(w *Tree) {
	t := w.NewTwin("Tower")
	var documents []storage.TwinDocument
	for i := range 6 {
		documents = append(documents, t.document("item", 1+i%2))
	}
	change := w.Change()
	ids, errs := make([]string, len(documents)), make([]error, len(documents))
	var group sync.WaitGroup
	for i, d := range documents {
		group.Go(func() {
			got, _, err := w.Data.ImportDocument(w.Ctx(), change, d)
			ids[i], errs[i] = got.ID, err
		})
	}
	group.Wait()
	all, _, err := w.Data.ListDocuments(w.Ctx(), t.Facility.ID, storage.DocumentQuery{}, storage.PageRequest{})
	w.Must(err)
	w.Equal(1, len(all))
	w.Equal(2, all[0].Source.Version)
	for i, err := range errs {
		if err != nil {
			w.Refused(err, fault.Conflict, storage.ReasonOlderVersion)
			continue
		}
		w.Equal(all[0].ID, ids[i])
	}
}

func refreshDocument(w *Tree) {
	t := w.NewTwin("Tower")
	was := t.imported("item")
	newer := t.document("item", 2)
	newer.ID, newer.Name, newer.State = was.ID, "ignored", storage.DocumentFailed
	pinned := newer
	pinned.Policy = storage.PolicyPin
	w.Unchanged(fault.Conflict, storage.ReasonDocumentMoved,
		func() error { return w.Data.RefreshDocument(w.Ctx(), w.Change(), pinned) })
	w.Must(w.Data.RefreshDocument(w.Ctx(), w.Change(), newer))
	want := newer
	want.Name, want.State, want.Revision, want.CreatedAt = was.Name, storage.DocumentReady, 1, was.CreatedAt
	t.same(want, t.look(was.ID))
	w.Unchanged(fault.Conflict, storage.ReasonDocumentMoved,
		func() error { return w.Data.RefreshDocument(w.Ctx(), w.Change(), newer) })
	newer.ID = "none"
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.RefreshDocument(w.Ctx(), w.Change(), newer) })
}

func setDocumentState(w *Tree) {
	t := w.NewTwin("Tower")
	d := t.imported("item")
	d.State, d.Newest = storage.DocumentOutdated, 2
	for range 2 {
		w.Must(w.Data.SetDocumentState(w.Ctx(), w.Change(), d))
	}
	t.same(d, t.look(d.ID))
	w.Told(t.Facility.ID, storage.EventDocumentState, storage.EventDocumentImported, storage.EventTwinCreated)
	late := d
	late.Revision, late.State = 7, storage.DocumentFailed
	w.Must(w.Data.SetDocumentState(w.Ctx(), w.Change(), late))
	t.same(d, t.look(d.ID))
}

func updateDocumentCheck(w *Tree) {
	t := w.NewTwin("Tower")
	want := t.imported("item")
	name, label, policy := "Ä.pdf", "Label", storage.PolicyNotify
	patch := storage.DocumentPatch{Name: &name, Label: &label, Policy: &policy}
	want.Name, want.Label, want.Policy = name, label, policy
	for range 2 {
		got, err := w.Data.UpdateDocument(w.Ctx(), w.Change(), t.Facility.ID, want.ID, patch)
		w.Must(err)
		t.same(want, got)
	}
	t.same(want, t.look(want.ID))
	w.Equal([]string{want.ID}, t.due())
	w.Told(t.Facility.ID, storage.EventDocumentChanged, storage.EventDocumentImported, storage.EventTwinCreated)
	w.Unchanged(fault.NotFound, "", func() error {
		_, err := w.Data.UpdateDocument(w.Ctx(), w.Change(), t.Facility.ID, "none", patch)
		return err
	})
}

func urnOf(d storage.TwinDocument) string { return "urn:portico:dtd:" + d.ID }

func documentUses(w *Tree) {
	t := w.NewTwin("Tower")
	a, b := t.imported("a"), t.imported("b")
	first := t.mutate(set("door", "c", urnOf(a)), set("wall", "c", urnOf(a)), set("wall", "d", urnOf(b)))
	use := func(d storage.TwinDocument, key, column string) storage.DocumentUse {
		return storage.DocumentUse{DocumentID: d.ID, ModelID: t.Model.ID, Key: key, Family: "z", Column: column}
	}
	uses := func(id string) (all []storage.DocumentUse) {
		for page := (storage.PageRequest{Limit: 1}); ; {
			some, next, err := w.Data.ListUses(w.Ctx(), t.Facility.ID, id, page)
			w.Must(err)
			all = append(all, some...)
			if page.After = next; next == "" {
				return all
			}
		}
	}
	w.Equal([]storage.DocumentUse{use(a, "door", "c"), use(a, "wall", "c")}, uses(a.ID))
	w.Equal(3, len(uses("")))
	t.mutate(set("door", "c", "https://example.test"))
	w.Equal([]storage.DocumentUse{use(a, "wall", "c")}, uses(a.ID))
	left, err := w.Data.DeleteDocument(w.Ctx(), w.Change(), t.Facility.ID, a.ID)
	w.Must(err)
	w.Equal([]storage.DocumentUse{use(a, "wall", "c")}, left)
	w.Unchanged(fault.NotFound, "", func() error {
		_, err := w.Data.DeleteDocument(w.Ctx(), w.Change(), t.Facility.ID, a.ID)
		return err
	})
	w.Unchanged(fault.Invalid, storage.ReasonDocumentAbsent, func() error {
		_, err := t.try(set("door", "c", urnOf(a)))
		return err
	})
	deleted := t.mutate(storage.ElementChange{Op: storage.OpDelete, Key: "wall"})
	w.Equal(0, len(uses("")))
	t.undo(deleted)
	w.Equal([]storage.DocumentUse{use(b, "wall", "d")}, uses(b.ID))
	if first != 1 {
		w.Errorf("mutation %d", first)
	}
}

func listDocuments(w *Tree) {
	t := w.NewTwin("Tower")
	other := w.NewTwin("Other").imported("a")
	var all []storage.TwinDocument
	for _, item := range []string{"c", "a", "b"} {
		all = append(all, t.imported(item))
	}
	list := func(query storage.DocumentQuery) (ids []string) {
		for page := (storage.PageRequest{Limit: 2}); ; {
			some, next, err := w.Data.ListDocuments(w.Ctx(), t.Facility.ID, query, page)
			w.Must(err)
			for _, d := range some {
				ids = append(ids, d.ID)
			}
			if page.After = next; next == "" {
				return ids
			}
		}
	}
	w.Equal([]string{all[0].ID, all[1].ID, all[2].ID}, list(storage.DocumentQuery{}))
	some, next, err := w.Data.ListAllDocuments(w.Ctx(), storage.PageRequest{Limit: 3})
	w.Must(err)
	w.Equal([]storage.TwinDocument{t.look(all[0].ID), t.look(all[1].ID)}, some[1:])
	w.Equal(other.ID, some[0].ID)
	some, next, err = w.Data.ListAllDocuments(w.Ctx(), storage.PageRequest{After: next})
	w.Must(err)
	w.Equal([]storage.TwinDocument{t.look(all[2].ID)}, some)
	w.Equal("", next)
	w.Equal([]string{all[1].ID}, list(storage.DocumentQuery{SourceID: "a"}))
	outdated := all[2]
	outdated.State = storage.DocumentOutdated
	w.Must(w.Data.SetDocumentState(w.Ctx(), w.Change(), outdated))
	late := []storage.DocumentState{storage.DocumentOutdated, storage.DocumentFailed}
	w.Equal([]string{all[2].ID}, list(storage.DocumentQuery{States: late}))
	t.mutate(set("door", "x", urnOf(all[0])), set("door", "y", urnOf(all[2])), set("wall", "x", urnOf(all[1])))
	w.Equal([]string{all[0].ID, all[2].ID}, list(storage.DocumentQuery{Key: "door"}))
	w.Equal([]string{all[0].ID, all[2].ID}, list(storage.DocumentQuery{Key: "door", ModelID: t.Model.ID}))
	w.Equal([]string(nil), list(storage.DocumentQuery{Key: "door", ModelID: "none"}))
}

func notedBlobs(w *Tree) {
	t := w.NewTwin("Tower")
	noted := func() []string {
		blobs, err := w.Data.ListNotedBlobs(w.Ctx(), w.Now(), 10)
		w.Must(err)
		slices.Sort(blobs)
		return blobs
	}
	knows := func(blob string) bool {
		known, err := w.Data.KnowsBlob(w.Ctx(), blob)
		w.Must(err)
		return known
	}
	first, second, lost := t.document("item", 1), t.document("item", 2), w.Source.UID()
	w.Must(w.Data.NoteBlobs(w.Ctx(), w.Now(), []string{first.Blob, second.Blob, lost}))
	w.Equal(3, len(noted()))
	_, _, err := w.Data.ImportDocument(w.Ctx(), w.Change(), first)
	w.Must(err)
	w.Equal(2, len(noted()))
	document, _, err := w.Data.ImportDocument(w.Ctx(), w.Change(), second)
	w.Must(err)
	want := []string{first.Blob, lost}
	slices.Sort(want)
	w.Equal(want, noted())
	for _, blob := range []string{first.Blob, second.Blob, lost} {
		w.Equal(true, knows(blob))
	}
	w.Must(w.Data.ForgetBlobs(w.Ctx(), want))
	w.Equal(0, len(noted()))
	w.Equal(false, knows(lost))
	_, err = w.Data.DeleteDocument(w.Ctx(), w.Change(), t.Facility.ID, document.ID)
	w.Must(err)
	w.Equal([]string{second.Blob}, noted())
}
