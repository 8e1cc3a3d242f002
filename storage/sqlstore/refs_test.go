package sqlstore_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

// Rule: REL-1
func TestWhatOneEndSaysTheOtherConfirms(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { testRefsAgree(t, onSQLite()) })
	t.Run("postgres", func(t *testing.T) { testRefsAgree(t, onPostgres()) })
}

// web is references between a few things, and what they should be.
type web struct {
	*storagetest.Tree
	ends []storage.End
	refs map[string]storage.Ref
}

func testRefsAgree(t *testing.T, engine storagetest.Engine) {
	w := &web{Tree: storagetest.NewTree(t, engine)}
	w.ends = []storage.End{{FolderID: w.Files.ID}, {FolderID: w.Plans.ID}, {FolderID: w.Project.RootFolderID}}
	for _, name := range []string{"a", "b"} {
		item := w.Item(w.Files.ID, name).Item.ID
		w.ends = append(w.ends, storage.End{ItemID: item}, storage.End{ItemID: item, Version: 1})
	}
	rapid.Check(t, func(t *rapid.T) {
		w.refs = map[string]storage.Ref{}
		for range rapid.IntRange(1, 10).Draw(t, "changes") {
			ref := w.drawn(t)
			if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
				w.remove(t, []storage.Ref{ref})
				continue
			}
			w.add(t, ref)
		}
		w.check(t)
		w.remove(t, slices.Collect(maps.Values(w.refs)))
	})
}

func key(r storage.Ref) string { return fmt.Sprint(r.From, r.To, r.Extension.Type) }

func (w *web) drawn(t *rapid.T) storage.Ref {
	return storage.Ref{
		From: rapid.SampledFrom(w.ends).Draw(t, "from"),
		To:   rapid.SampledFrom(w.ends).Draw(t, "to"),
		Extension: storage.Extension{Type: rapid.SampledFrom([]string{"xrefs:a.b:C", "derived:a.b:C"}).Draw(t, "type"),
			Version: "1.0"},
	}
}

func (w *web) add(t *rapid.T, ref storage.Ref) {
	change := w.Change()
	err := w.Data.AddRefs(w.Ctx(), change, w.Project.ID, ref.From, []storage.Ref{ref})
	if (err != nil) != (ref.From == ref.To) {
		t.Fatalf("adding %+v: %v", ref, err)
	}
	if _, there := w.refs[key(ref)]; !there && err == nil {
		ref.CreatedAt = change.At
		w.refs[key(ref)] = ref
	}
}

func (w *web) remove(t *rapid.T, refs []storage.Ref) {
	if err := w.Data.RemoveRefs(w.Ctx(), w.Change(), w.Project.ID, refs); err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		delete(w.refs, key(ref))
	}
}

func (w *web) list(t *rapid.T, end storage.End, query storage.RefQuery) []storage.Ref {
	refs, _, err := w.Data.ListRefs(w.Ctx(), w.Project.ID, end, query, storage.PageRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return refs
}

// check asks every end, and one of them for each direction alone.
func (w *web) check(t *rapid.T) {
	one := rapid.SampledFrom(w.ends).Draw(t, "one")
	for _, end := range w.ends {
		var all, outward, inward []storage.Ref
		for _, ref := range w.refs {
			switch end {
			case ref.From:
				outward = append(outward, ref)
			case ref.To:
				inward = append(inward, ref)
			}
		}
		all = slices.Concat(outward, inward)
		w.same(t, all, w.list(t, end, storage.RefQuery{}))
		if end == one {
			w.same(t, outward, w.list(t, end, storage.RefQuery{NoInward: true}))
			w.same(t, inward, w.list(t, end, storage.RefQuery{NoOutward: true}))
		}
	}
}

func (w *web) same(t *rapid.T, want, got []storage.Ref) {
	slices.SortFunc(want, func(a, b storage.Ref) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(key(a), key(b)))
	})
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
}
