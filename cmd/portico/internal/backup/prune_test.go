package backup_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/cmd/portico/internal/backup"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
)

// lies are the names of what lies in a folder of the backups, in order.
func (w *world) lies(pattern string) []string {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, pattern))
	w.must(err)
	names := []string{}
	for _, path := range found {
		names = append(names, filepath.Base(path))
	}
	slices.Sort(names)
	return names
}

// Rule: BACKUP-8
func TestOldSnapshotsGoWithTheBytesThatNoOtherHas(t *testing.T) {
	for name, encrypted := range map[string]bool{"in the clear": false, "encrypted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, engines()["sqlite"](t))
			suffix := ""
			if encrypted {
				key, err := age.GenerateX25519Identity()
				w.must(err)
				w.to, suffix = []age.Recipient{key.Recipient()}, ".age"
			}
			var blobs, made []string
			for i := range 60 {
				blobs = append(blobs, w.object(string(rune('A'+i)), string(rune('A'+i))).Blob)
			}
			for range 3 {
				made = append(made, w.take().Name)
			}
			// What is of the oldest alone: a content that no list of the others has.
			stray := filepath.Join(w.dir, "contents", "41", "AAAAAAAAAAAAAAAAAAAAAA"+suffix)
			w.must(os.MkdirAll(filepath.Dir(stray), 0o700))
			w.must(os.WriteFile(stray, nil, 0o600))
			want := []string{}
			for _, blob := range blobs {
				want = append(want, blob+suffix)
			}
			slices.Sort(want)
			for _, step := range []struct{ keep, snapshots, contents int }{{0, 0, 0}, {3, 0, 0}, {2, 1, 1}, {1, 1, 0}} {
				s, c, err := backup.Prune(t.Context(), w.vault(), step.keep)
				if err != nil || s != step.snapshots || c != step.contents {
					t.Errorf("keeping %d: %d snapshots and %d contents went, %v", step.keep, s, c, err)
				}
			}
			if diff := cmp.Diff(want, w.lies("contents/*/*")); diff != "" {
				t.Errorf("contents -want +got\n%s", diff)
			}
			if diff := cmp.Diff(made[2:], w.lies("snapshots/*")); diff != "" {
				t.Errorf("snapshots -want +got\n%s", diff)
			}
		})
	}
}

// Rule: BACKUP-8
func TestNobodyWorksInTheFolderWhileOldSnapshotsGo(t *testing.T) {
	w, waited := newWorld(t, engines()["sqlite"](t)), false
	_, err := backup.Take(t.Context(), w.vault(), backup.Options{Store: w.store, Blobs: w.blobs, Ambient: w.ambient,
		Engine: "sqlite", Version: version.Number, Waits: func() {}, Moved: func(int64, int64) {},
		Then: func(backup.Manifest) error { waited = w.waits(w.dir); return nil }})
	if err != nil || !waited {
		t.Errorf("another backup waits: %v, and no list has yet what it copies; %v", waited, err)
	}
}

// Rule: BACKUP-8
func TestNoBytesGoWhileAListCanNotBeRead(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	w.object("k", "bytes")
	old := w.take()
	w.take()
	stray := filepath.Join(w.dir, "contents", "41", "AAAAAAAAAAAAAAAAAAAAAA")
	w.must(os.MkdirAll(filepath.Dir(stray), 0o700))
	w.must(os.WriteFile(stray, nil, 0o600))
	newest := w.lies("snapshots/*")[1]
	w.spoil(filepath.Join(w.dir, "snapshots", newest, "contents.jsonl.gz"), flipped)
	if _, n, err := backup.Prune(t.Context(), w.vault(), 1); err == nil || n != 0 {
		t.Errorf("%d contents went, %v", n, err)
	}
	if len(w.lies("contents/*/*")) != 2 {
		t.Error("contents went")
	}
	if slices.Contains(w.lies("snapshots/*"), old.Name) {
		t.Error("the old snapshot is there")
	}
}

// Rule: BACKUP-8
func TestTheNewestSnapshotStaysThoughAClockWasAhead(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	source, clock := ambient.Fixed(w.ambient.Now(), 1)
	w.ambient = source
	clock.Step(24 * time.Hour)
	w.take()
	clock.Step(-24 * time.Hour)
	w.object("k", "bytes")
	var newest string
	for range 2 {
		newest = w.take().Name
		if _, _, err := backup.Prune(t.Context(), w.vault(), 1); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{newest}, w.lies("snapshots/*")); diff != "" {
			t.Errorf("snapshots -want +got\n%s", diff)
		}
	}
	e := newElsewhere(t, engines()["sqlite"](t))
	w.must(e.restore(w.dir, backup.RestoreOptions{}))
	if _, err := e.opened().store.FindObject(t.Context(), "b", "k"); err != nil {
		t.Error("what is brought back is not the newest:", err)
	}
}
