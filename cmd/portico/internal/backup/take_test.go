package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/cmd/portico/internal/backup"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// rows are all rows of the one snapshot by their table, whichever engine they are from.
func (w *world) rows() map[string][]string {
	w.Helper()
	packed, err := os.ReadFile(w.file("rows.jsonl.gz"))
	w.must(err)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	w.must(err)
	text, err := io.ReadAll(unpacked)
	w.must(err)
	tables, table := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		var h struct{ Table string }
		if line[0] == '{' {
			w.must(json.Unmarshal([]byte(line), &h))
			if h.Table != "" {
				table = h.Table
			}
		}
		if line[0] == '[' {
			tables[table] = append(tables[table], w.alike(line))
		}
	}
	for _, lines := range tables {
		slices.Sort(lines)
	}
	return tables
}

// alike is a row without what the engines write differently.
func (w *world) alike(line string) string {
	var row []any
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.UseNumber()
	w.must(decoder.Decode(&row))
	for i, value := range row {
		if is, ok := value.(bool); ok {
			row[i] = json.Number(map[bool]string{true: "1", false: "0"}[is])
		}
	}
	text, err := json.Marshal(row)
	w.must(err)
	return string(text)
}

// Rules: BACKUP-1, FEED-13, HOOK-18
func TestASnapshotComesBackOnEitherEngine(t *testing.T) {
	for from, make1 := range engines() {
		for to, make2 := range engines() {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, make1(t))
				for n := range 1200 { // more than a batch
					w.person(n)
				}
				first, second := w.object("first", "bytes"), w.object("empty", "")
				made := w.take()
				e := newElsewhere(t, make2(t))
				w.must(e.restore(w.dir, backup.RestoreOptions{Now: time.UnixMicro(1e15)}))
				there := e.opened()
				there.take()
				was := w.rows()
				was["event_positions"] = []string{"[1,1000000000000000,0,1000000000000000]"} // from where numbers go on
				if diff := cmp.Diff(was, there.rows()); diff != "" {
					t.Errorf("rows before (-) and after (+):\n%s", diff)
				}
				for _, o := range []storage.Object{first, second} {
					digest, err := blobstore.Sum(t.Context(), e.files, o.Blob, nil)
					if err != nil || !bytes.Equal(digest.SHA256, o.SHA256) {
						t.Errorf("%s: %x, %v", o.Key, digest.SHA256, err)
					}
				}
				if e.loaded != int64(made.Rows()) {
					t.Errorf("%d rows were told of, and there are %d", e.loaded, made.Rows())
				}
				if made.Contents != 2 || made.Bytes != 5 || len(made.Missing) != 0 {
					t.Errorf("%+v", made)
				}
				there.countsOn(w)
				there.tellsAnew(w)
			})
		}
	}
}

// countsOn checks that what the database counts begins behind what it had: an event of
// the audit trail comes after all of before, also after those that are gone.
func (w *world) countsOn(before *world) {
	w.Helper()
	last := func(w *world) int64 {
		w.must(w.store.RecordAudit(w.Context(), storage.AuditEvent{Act: w.change().Act, Kind: "test", Subject: "s"}))
		events, _, err := w.store.ListAudit(w.Context(), storage.AuditFilter{Kind: "test"}, storage.PageRequest{Limit: 1})
		w.must(err)
		return events[0].ID
	}
	if was, is := last(before), last(w); was != is {
		w.Errorf("the next event has the number %d, and would have had %d", is, was)
	}
}

// tellsAnew checks that receivers of webhooks, who know a notice and what it tells by numbers,
// take nothing of now for what they were told between the snapshot and its return.
func (w *world) tellsAnew(before *world) {
	w.Helper()
	told := func(w *world) [2]int64 {
		hook := storage.Webhook{ID: w.ambient.UUID(), ProjectID: before.project, URL: "https://example.test",
			Secret: []byte{1}, CreatedAt: w.ambient.Now()}
		w.must(w.store.CreateWebhook(w.Context(), w.change(), hook))
		_, err := w.store.StampEvents(w.Context(), 100)
		w.must(err)
		last, err := w.store.LastPosition(w.Context())
		w.must(err)
		hook, err = w.store.FindWebhook(w.Context(), before.project, hook.ID)
		w.must(err)
		_, err = w.store.QueueDeliveries(w.Context(), hook, last, w.ambient.Now(), []storage.WebhookDelivery{{}})
		w.must(err)
		deliveries, _, err := w.store.ListDeliveries(w.Context(), hook.ID, storage.PageRequest{Limit: 1})
		w.must(err)
		return [2]int64{last, deliveries[0].ID}
	}
	if was, is := told(before), told(w); is[0] <= was[0] || is[1] <= was[1] {
		w.Errorf("change and notice have the numbers %d, as had others: %d", is, was)
	}
}

// opens counts what is read, and lets a test act meanwhile.
type opens struct {
	blobstore.Store
	n     atomic.Int64
	first func()
}

func (o *opens) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	if o.n.Add(1) == 1 && o.first != nil {
		o.first()
	}
	return o.Store.Open(ctx, key, from, length)
}

// Rule: BACKUP-2
func TestBytesThatAreThereAreNotCopiedAgain(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	w.object("one", "one")
	w.object("two", "two")
	watch := &opens{Store: w.files}
	w.blobs = watch
	w.take()
	w.object("three", "three")
	if made := w.take(); watch.n.Load() != 3 || made.Contents != 3 {
		t.Errorf("%d contents were read for two snapshots, want 3; the second has %d", watch.n.Load(), made.Contents)
	}
}

const month = 30 * 24 * time.Hour

// ahead is a clock that is so much later.
func ahead(by time.Duration) *ambient.Source {
	return ambient.New(func() time.Time { return time.Now().Add(by) }, ambient.System().Random())
}

// removes lets a clean-up go by so much later, and reports whether the bytes went.
func (w *world) removes(o storage.Object, later time.Duration) bool {
	w.Helper()
	w.must(objects.NewKeeper(w.store, w.files, ahead(later)).Tidy(w.Context()))
	_, err := w.files.Stat(w.Context(), o.Blob)
	return fault.Is(err, fault.NotFound)
}

// meanwhile makes a snapshot two months later, and acts in the middle of it.
func (w *world) meanwhile(act func()) {
	w.Helper()
	was := w.ambient
	w.ambient, w.blobs = ahead(2*month), &opens{Store: w.files, first: act}
	w.take()
	w.ambient, w.blobs = was, w.files
}

// Rule: BACKUP-3
func TestNobodyRemovesBytesWhileABackupCopiesThem(t *testing.T) {
	for name, database := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, database(t))
			loose := w.object("loose", "of no version")
			w.removes(loose, month) // it is seen to be loose
			w.meanwhile(func() {
				if w.removes(loose, 2*month) {
					t.Error("bytes were removed in the middle of a backup")
				}
			})
			e := newElsewhere(t, engines()["sqlite"](t))
			w.must(e.restore(w.dir, backup.RestoreOptions{}))
			if _, err := e.files.Stat(t.Context(), loose.Blob); err != nil {
				t.Error(err)
			}
			if !w.removes(loose, 2*month) {
				t.Error("bytes that no version has are there after the backup")
			}
		})
	}
}

// A backup that was killed renews nothing, as one that has hardly begun. On SQLite
// leases end by the clock of whoever asks.
//
// Rule: BACKUP-3
func TestABackupThatWasKilledHoldsNobodyUpForLong(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	loose := w.object("loose", "of no version")
	w.removes(loose, month)
	w.meanwhile(func() {
		if w.removes(loose, 2*month+storage.RemovalLease-time.Minute) {
			t.Error("bytes were removed while the hold lasts")
		}
		if !w.removes(loose, 2*month+storage.RemovalLease+time.Minute) {
			t.Error("bytes can't be removed after the hold has ended")
		}
	})
}

// Rule: BACKUP-2
func TestWhatTheServerItselfLacksIsNamedAndHoldsNothingUp(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	whole, gone, changed := w.object("whole", "whole"), w.object("gone", "gone"), w.object("changed", "changed")
	w.must(w.files.Delete(t.Context(), gone.Blob))
	w.must(filepath.WalkDir(w.folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.Contains(path, changed.Blob) && !entry.IsDir() {
			err = os.WriteFile(path, []byte("CHANGED"), 0o600)
		}
		return err
	}))
	want := []string{gone.Blob, changed.Blob}
	slices.Sort(want)
	made := w.take()
	slices.Sort(made.Missing)
	if diff := cmp.Diff(want, made.Missing); diff != "" {
		t.Errorf("missing -want +got\n%s", diff)
	}
	e := newElsewhere(t, engines()["sqlite"](t))
	w.must(e.restore(w.dir, backup.RestoreOptions{}))
	if _, err := e.files.Stat(t.Context(), whole.Blob); err != nil {
		t.Error(err)
	}
}
