package twins_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// follow lets everything that has happened reach the documents.
func (w *world) follow(f *twins.Follower) {
	w.Helper()
	for n := 1; n > 0; {
		stamped, err := w.Store.StampEvents(w.Context(), 1000)
		w.Must(err)
		n = stamped
	}
	w.Must(f.Step(w.Context()))
}

func (w *world) follower() *twins.Follower {
	return twins.NewFollower(w.Handler, alone{w.Store}, slog.New(slog.DiscardHandler))
}

// alone gives a duty to whoever asks: in these tests one comes after the other,
// and the one before has died.
type alone struct{ *sqlstore.Store }

func (alone) AcquireLease(context.Context, string, string, time.Time, time.Time) (bool, error) {
	return true, nil
}

// counted counts how often a turn is taken, which is written down.
type counted struct {
	alone
	turns *int
}

func (c counted) AcquireLease(context.Context, string, string, time.Time, time.Time) (bool, error) {
	*c.turns++
	return true, nil
}

func TestWhoeverHasNothingToFollowWritesNothing(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		turns := 0
		f := twins.NewFollower(w.Handler, counted{alone{w.Store}, &turns}, slog.New(slog.DiscardHandler))
		takesATurn := func() bool {
			before := turns
			w.follow(f)
			return turns > before
		}
		if !takesATurn() || takesATurn() {
			t.Error("it begins by looking around, and then rests")
		}
		w.file(w.Folder, "manual.pdf", pdftest.Plain(1, "one"))
		if !takesATurn() || takesATurn() {
			t.Error("it follows what has happened, and then rests")
		}
	})
}

// stands checks how a document stands to its original, and which bytes it has.
func (w *world) stands(urn, state, newest string, content []byte) {
	w.Helper()
	got := w.ok(as(reader), "GET", w.path("/documents/"+urn), nil)
	if got.text(w, "state") != state || got.text(w, "newestVersion") != newest {
		w.Errorf("%s, want %s and %s", got.Body, state, newest)
	}
	if bytes := w.ok(as(reader), "GET", w.path("/documents/"+urn+"/content"), nil).Body; string(bytes) != string(content) {
		w.Errorf("%d bytes, want %d", len(bytes), len(content))
	}
}

// Rule: TWIN-11
func TestADocumentFollowsItsOriginalByItsPolicy(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		f := w.follower()
		urns, items := map[string]string{}, map[string]string{}
		for _, policy := range []string{"auto", "notify", "pin"} {
			items[policy] = w.file(w.Folder, policy+".pdf", pdftest.Plain(1, policy))
			urns[policy] = w.imported(items[policy], "policy", policy)
		}
		w.follow(f)
		for policy, item := range items {
			w.stands(urns[policy], "ready", versionURN(item, "1"), pdftest.Plain(1, policy))
			w.newVersion(item, policy+".pdf", pdftest.Plain(2, policy))
		}
		w.follow(f)
		w.stands(urns["auto"], "ready", versionURN(items["auto"], "2"), pdftest.Plain(2, "auto"))
		w.stands(urns["notify"], "outdated", versionURN(items["notify"], "2"), pdftest.Plain(1, "notify"))
		w.stands(urns["pin"], "ready", versionURN(items["pin"], "2"), pdftest.Plain(1, "pin"))
		outdated := w.ok(as(reader), "GET", w.path("/documents?state=outdated&state=failed"), nil).list(t, "documents")
		w.Equal(1, len(outdated))
		for _, policy := range []string{"notify", "pin"} { // who changes their mind gets the newer version
			w.ok(as(writer), "PATCH", w.path("/documents/"+urns[policy]), map[string]any{"policy": "auto"})
		}
		w.follow(f)
		for _, policy := range []string{"notify", "pin"} {
			w.stands(urns[policy], "ready", versionURN(items[policy], "2"), pdftest.Plain(2, policy))
		}
		w.newVersion(items["auto"], "auto.pdf", pdftest.HTML())
		w.follow(f)
		w.stands(urns["auto"], "failed", versionURN(items["auto"], "3"), pdftest.Plain(2, "auto"))
		w.Equal("not_a_pdf", w.ok(as(reader), "GET", w.path("/documents/"+urns["auto"]), nil).text(t, "reason"))
		w.newVersion(items["auto"], "auto.pdf", pdftest.Plain(4, "auto"))
		w.follow(f)
		w.stands(urns["auto"], "ready", versionURN(items["auto"], "4"), pdftest.Plain(4, "auto"))
	})
}

// Rule: TWIN-12
func TestACopyStaysWhenItsOriginalGoes(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		f := w.follower()
		item := w.file(w.Folder, "manual.pdf", pdftest.Manual())
		urn := w.imported(item)
		w.follow(f)
		missing := func(name string, away, back func() error) {
			w.Must(away())
			w.follow(f)
			w.stands(urn, "source_missing", versionURN(item, "1"), pdftest.Manual())
			w.Must(back())
			w.follow(f)
			w.stands(urn, "ready", versionURN(item, "1"), pdftest.Manual())
			if t.Failed() {
				t.Fatal(name)
			}
		}
		hide := func(hidden bool) func() error {
			return func() error {
				_, err := w.Store.UpdateItem(t.Context(), w.Operator(), w.Project.ID, item, storage.ItemPatch{Hidden: &hidden})
				return err
			}
		}
		missing("the item is hidden", hide(true), hide(false))
		hideFolder := func(hidden bool) func() error {
			return func() error {
				_, err := w.Store.UpdateFolder(t.Context(), w.Operator(), w.Project.ID, w.Folder.ID,
					storage.FolderPatch{Hidden: &hidden})
				return err
			}
		}
		missing("the folder is hidden", hideFolder(true), hideFolder(false))
		grant := storage.FolderGrant{FolderID: w.Folder.ID, UserID: writer, Level: storage.LevelDownload}
		missing("the right is taken away",
			func() error { return w.Store.RemoveFolderGrant(t.Context(), w.Operator(), w.Project.ID, grant) },
			func() error { return w.Store.SetFolderGrant(t.Context(), w.Operator(), w.Project.ID, grant) })
		active := func(active bool) func() error {
			return func() error {
				return w.Store.PatchProject(t.Context(), w.Operator(), w.Project.ID, storage.ProjectPatch{Active: &active})
			}
		}
		missing("the project is not active", active(false), active(true))
	})
}

// Rule: TWIN-11
func TestWhatHappensWhileNobodyFollowsIsCaughtUpWith(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		item := w.file(w.Folder, "manual.pdf", pdftest.Plain(1, "one"))
		urn := w.imported(item)
		w.follow(w.follower())
		w.newVersion(item, "manual.pdf", pdftest.Plain(2, "two"))
		for range 300 { // more than a page of events
			w.folder(w.Ambient.UID())
		}
		w.follow(w.follower())
		w.stands(urn, "ready", versionURN(item, "2"), pdftest.Plain(2, "two"))
	})
}

// Rule: BACKUP-3
func TestBytesOfDocumentsStayWhileABackupCopiesThem(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		item := w.file(w.Folder, "manual.pdf", pdftest.Plain(1, "one"))
		urn := w.imported(item)
		w.ok(as(writer), "DELETE", w.path("/documents/"+urn), nil)
		w.Wait(7 * time.Hour)
		follower := twins.NewFollower(w.Handler, w.Store, slog.New(slog.DiscardHandler))
		left := func() int {
			w.follow(follower)
			all, err := w.Blobs.List(t.Context(), "", 100)
			w.Must(err)
			return len(all)
		}
		now := w.Ambient.Now()
		mine, err := w.Store.AcquireLease(t.Context(), storage.RemovalDuty, "backup", now, now.Add(storage.RemovalLease))
		if err != nil || !mine {
			t.Fatalf("%v, %v", mine, err)
		}
		w.Equal(2, left()) // the version and the copy of before
		w.Wait(time.Hour)  // until it looks again
		_, err = w.Store.AcquireLease(t.Context(), storage.RemovalDuty, "backup", now, now)
		w.Must(err)
		w.Equal(1, left())
	})
}

// Rule: TWIN-13
func TestBytesThatNoDocumentHasAreDeletedAfterHours(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		item := w.file(w.Folder, "manual.pdf", pdftest.Plain(1, "one"))
		urn := w.imported(item)
		count := func() int {
			all, err := w.Blobs.List(t.Context(), "", 100)
			w.Must(err)
			return len(all)
		}
		w.Equal(2, count())
		w.newVersion(item, "manual.pdf", pdftest.Plain(2, "two"))
		w.follow(w.follower())
		w.Equal(4, count()) // two versions, the copy and the one before
		w.Wait(7 * time.Hour)
		w.follow(w.follower())
		w.Equal(3, count())
		w.stands(urn, "ready", versionURN(item, "2"), pdftest.Plain(2, "two"))
		w.ok(as(writer), "DELETE", w.path("/documents/"+urn), nil)
		w.Wait(7 * time.Hour)
		w.follow(w.follower())
		w.Equal(2, count())
		all, err := w.Blobs.List(t.Context(), "", 100)
		w.Must(err)
		if got, err := w.Store.KnowsBlob(t.Context(), all[0].Key); err != nil || !got {
			t.Errorf("%v, %v", got, err)
		}
	})
}
