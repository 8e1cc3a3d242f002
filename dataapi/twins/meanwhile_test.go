package twins_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// hooked is a place for bytes with something happening when a copy begins, and
// when bytes are opened.
type hooked struct {
	blobstore.Store
	begins, opens func()
}

func (h *hooked) Begin(ctx context.Context, key string) (string, error) {
	h.begins()
	return h.Store.Begin(ctx, key)
}

func (h *hooked) Open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	h.opens()
	return h.Store.Open(ctx, key, offset, length)
}

// hook lets something happen once, when the server next copies or opens bytes.
func (w *world) hook(begins, opens func()) {
	w.Helper()
	plain := w.Blobs
	once := func(do func()) func() {
		return func() {
			if next := do; next != nil {
				do, w.Blobs = nil, plain // what happens makes files too
				next()
			}
		}
	}
	w.Blobs = &hooked{plain, once(begins), once(opens)}
	w.serve()
	clear(w.tokens) // they are for the address before
}

// Rule: TWIN-11
func TestAVersionThatComesWhileTheOneBeforeIsImportedIsTakenToo(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		item := w.file(w.Folder, "manual.pdf", pdftest.Plain(1, "one"))
		f := w.follower()
		w.follow(f)
		w.hook(func() {
			w.newVersion(item, "manual.pdf", pdftest.Plain(2, "two"))
			w.follow(f) // no document yet that the event could be about
		}, nil)
		urn := w.imported(item)
		w.follow(f)
		w.stands(urn, "ready", versionURN(item, "2"), pdftest.Plain(2, "two"))
	})
}

// Rule: TWIN-11
func TestADocumentThatIsPinnedWhileANewVersionIsCopiedStays(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		for policy, state := range map[string]string{"pin": "ready", "notify": "outdated"} {
			item := w.file(w.Folder, policy+".pdf", pdftest.Plain(1, "one"))
			urn := w.imported(item)
			w.follow(w.follower())
			w.newVersion(item, policy+".pdf", pdftest.Plain(2, "two"))
			w.hook(func() {
				w.ok(as(writer), "PATCH", w.path("/documents/"+urn), map[string]any{"policy": policy})
			}, nil)
			for range 2 {
				w.follow(w.follower())
			}
			w.stands(urn, state, versionURN(item, "2"), pdftest.Plain(1, "one"))
		}
	})
}

// Rule: TWIN-12
func TestAnOriginalThatIsHiddenWhileItIsImportedIsMissing(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		item := w.file(w.Folder, "manual.pdf", pdftest.Manual())
		f, hidden := w.follower(), true
		w.follow(f)
		w.hook(func() {
			_, err := w.Store.UpdateItem(t.Context(), w.Operator(), w.Project.ID, item, storage.ItemPatch{Hidden: &hidden})
			w.Must(err)
			w.follow(f)
		}, nil)
		urn := w.imported(item)
		w.follow(f)
		w.stands(urn, "source_missing", versionURN(item, "1"), pdftest.Manual())
	})
}

// Rule: TWIN-12
func TestADocumentFollowsAgainWhenWhoImportedItIsEnabledAgain(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		f := w.follower()
		item := w.file(w.Folder, "manual.pdf", pdftest.Plain(1, "one"))
		urn := w.imported(item)
		w.follow(f)
		w.Must(w.Store.SetUserDisabled(t.Context(), w.Operator().Act, writer, true))
		w.follow(f)
		w.stands(urn, "source_missing", versionURN(item, "1"), pdftest.Plain(1, "one"))
		w.newVersion(item, "manual.pdf", pdftest.Plain(2, "two"))
		w.follow(f)
		w.stands(urn, "source_missing", versionURN(item, "1"), pdftest.Plain(1, "one"))
		w.Must(w.Store.SetUserDisabled(t.Context(), w.Operator().Act, writer, false))
		w.follow(f)
		w.stands(urn, "ready", versionURN(item, "2"), pdftest.Plain(2, "two"))
	})
}

// Rule: TWIN-12
func TestADocumentFollowsForWhoImportsItAgainWhenTheFirstMayNotAnyMore(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		f := w.follower()
		item := w.file(w.Folder, "manual.pdf", pdftest.Plain(1, "one"))
		urn := w.imported(item)
		again := func(who string) answer {
			got := w.ok(as(who), "POST", w.path("/documents"), []any{w.entry(item, "")})
			w.Equal("unchanged", got.text(t, "data", 0, "outcome"))
			w.Equal(urn, got.text(t, "data", 0, "id"))
			w.follow(f)
			return got
		}
		again(owner) // who may read it stays the one it follows for
		w.Must(w.Store.DeleteUser(t.Context(), w.Operator().Act, writer))
		w.follow(f)
		w.stands(urn, "source_missing", versionURN(item, "1"), pdftest.Plain(1, "one"))
		again(owner)
		w.stands(urn, "ready", versionURN(item, "1"), pdftest.Plain(1, "one"))
		w.newVersion(item, "manual.pdf", pdftest.Plain(2, "two"))
		w.follow(f)
		w.stands(urn, "ready", versionURN(item, "2"), pdftest.Plain(2, "two"))
	})
}

// Rule: TWIN-11
func TestANewVersionIsTakenAsSoonAsAScannerHasLookedAtIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		f := w.follower()
		item := w.file(w.Folder, "manual.pdf", pdftest.Plain(1, "one"))
		urn := w.imported(item)
		w.scan = storage.ScanPending
		w.newVersion(item, "manual.pdf", pdftest.Plain(2, "two"))
		w.follow(f)
		claimed, err := w.Store.ClaimScans(t.Context(), w.Ambient.Now(), w.Ambient.Now().Add(time.Hour), 10)
		w.Must(err)
		w.Must(w.Store.EndScan(t.Context(), w.Operator().Act, claimed[0].Bucket, claimed[0].Key, ""))
		w.Wait(4 * time.Second)
		w.follow(f)
		w.stands(urn, "ready", versionURN(item, "2"), pdftest.Plain(2, "two"))
	})
}

// Rule: TWIN-7
func TestBytesThatMakeTheExaminationPanicFailTheirOwnEntryAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		bad, good := w.file(w.Folder, "bad.pdf", pdftest.Plain(1, "bad")),
			w.file(w.Folder, "good.pdf", pdftest.Plain(1, "good"))
		w.hook(nil, func() { panic("out of range") })
		first := w.ok(as(writer), "POST", w.path("/documents"), []any{w.entry(bad, "")})
		w.Equal(any(500.0), first.value(t, "data", 0, "error", "status"))
		if bytes.Contains(first.Body, []byte("range")) {
			t.Errorf("%s", first.Body)
		}
		w.imported(good)
		w.imported(bad)
	})
}

// Rule: TWIN-8
func TestATokenThatMayNotReadGetsNoLink(t *testing.T) {
	w := newWorld(t, sqlitetest.URL(t))
	item := w.file(w.Folder, "manual.pdf", pdftest.Manual())
	writes := caller{client: app, user: writer, scope: "data:write"}
	got := w.ok(writes, "POST", w.path("/documents"), []any{w.entry(item, "")})
	w.Equal(any(nil), got.value(t, "data", 0, "signedLink"))
	urn := got.text(t, "data", 0, "id")
	w.Equal(any(nil), w.ok(writes, "PATCH", w.path("/documents/"+urn),
		map[string]any{"label": "L"}).value(t, "signedLink"))
	if link := w.ok(as(writer), "PATCH", w.path("/documents/"+urn), map[string]any{"label": "M"}).text(t,
		"signedLink"); link == "" {
		t.Error("no link for a token that may read")
	}
}
