package backup_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/portico-id/portico/cmd/portico/internal/backup"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
)

// sum makes SHA256SUMS of the snapshot anew.
func (w *world) sum() {
	w.Helper()
	var text strings.Builder
	file := w.file("SHA256SUMS")
	entries, err := os.ReadDir(filepath.Dir(file))
	w.must(err)
	for _, entry := range entries {
		if entry.Name() != "SHA256SUMS" {
			content, err := os.ReadFile(w.file(entry.Name()))
			w.must(err)
			_, _ = fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(content), entry.Name())
		}
	}
	w.must(os.WriteFile(file, []byte(text.String()), 0o600))
}

func cutOff(content []byte) []byte { return content[:len(content)-1] }

func flipped(content []byte) []byte {
	content[len(content)/2] ^= 1
	return content
}

// contentOf is the path of the bytes of a key in the folder of backups.
func (w *world) contentOf(key string) string {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, "contents", "*", key+"*"))
	if err != nil || len(found) != 1 {
		w.Fatalf("%s: %v, %v", key, found, err)
	}
	return found[0]
}

// Rule: BACKUP-4
func TestWhatIsDamagedIsRefusedByNameAndTheDatabaseStaysEmpty(t *testing.T) {
	type damage struct {
		how  func(w *world, content string)
		word string // of what is said
	}
	file := func(name string, how func([]byte) []byte) damage {
		return damage{func(w *world, _ string) { w.spoil(w.file(name+"*"), how) }, name}
	}
	bytes := func(how func([]byte) []byte) damage {
		return damage{func(w *world, content string) { w.spoil(content, how) }, "contents/"}
	}
	spoilt := map[string]damage{
		"rows that were cut off":      file("rows.jsonl.gz", cutOff),
		"rows with another bit":       file("rows.jsonl.gz", flipped),
		"a list with another bit":     file("contents.jsonl.gz", flipped),
		"a manifest with another bit": file("manifest.json", flipped),
		"sums of some files":          {file("SHA256SUMS", func(b []byte) []byte { return b[:len(b)/3] }).how, "snapshots/"},
		"no sums":                     {func(w *world, _ string) { w.must(os.Remove(w.file("SHA256SUMS"))) }, "snapshots/"},
		"no rows":                     {func(w *world, _ string) { w.must(os.Remove(w.file("rows*"))) }, "rows.jsonl.gz"},
		"bytes that were cut off":     bytes(cutOff),
		"bytes with another bit":      bytes(flipped),
		"bytes and some more":         bytes(func(b []byte) []byte { return append(b, 'x') }),
		"no bytes":                    {func(w *world, content string) { w.must(os.Remove(content)) }, "contents/"},
	}
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range [][]age.Recipient{nil, {key.Recipient()}} {
		for name, damage := range spoilt {
			t.Run(fmt.Sprintf("%s, %d recipients", name, len(to)), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, engines()["sqlite"](t))
				w.to = to
				object := w.object("key", strings.Repeat("bytes ", 100))
				w.take()
				e := newElsewhere(t, engines()["sqlite"](t))
				whole, err := os.MkdirTemp(t.TempDir(), "")
				w.must(err)
				w.must(os.CopyFS(whole, os.DirFS(w.dir)))
				damage.how(w, w.contentOf(object.Blob))
				o := backup.RestoreOptions{Identities: []age.Identity{key}}
				err = e.restore(w.dir, o)
				if !fault.HasReason(err, backup.ReasonDamaged) || !strings.Contains(err.Error(), damage.word) {
					t.Errorf("said: %v", err)
				}
				w.must(e.restore(whole, o)) // nothing was left that would be in the way
			})
		}
	}
}

// Rule: BACKUP-4
func TestDamagedBytesAreLeftOutWhenThatIsWanted(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	spoilt, whole := w.object("spoilt", "spoilt"), w.object("whole", "whole")
	w.take()
	w.spoil(w.contentOf(spoilt.Blob), flipped)
	e := newElsewhere(t, engines()["sqlite"](t))
	var said []error
	w.must(e.restore(w.dir, backup.RestoreOptions{KeepGoing: true, Damaged: func(err error) { said = append(said, err) }}))
	if len(said) != 1 || !strings.Contains(said[0].Error(), spoilt.Blob) {
		t.Errorf("said: %v", said)
	}
	_, gone := e.files.Stat(t.Context(), spoilt.Blob)
	if _, err := e.files.Stat(t.Context(), whole.Blob); err != nil || !fault.Is(gone, fault.NotFound) {
		t.Errorf("damaged bytes: %v, those of another file: %v", gone, err)
	}
}

// Rule: BACKUP-4
func TestBytesAloneComeBackToAServerThatHasItsRows(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	lost, there := w.object("lost", "lost"), w.object("there", "there")
	w.take()
	later := w.object("later", "later than the snapshot")
	w.must(w.files.Delete(t.Context(), lost.Blob))
	server := newElsewhere(t, w.url)
	server.files = w.files
	w.must(server.restore(w.dir, backup.RestoreOptions{BytesAlone: true}))
	for _, o := range []storage.Object{lost, there, later} {
		digest, err := blobstore.Sum(t.Context(), w.files, o.Blob, nil)
		if row, gone := w.store.FindObject(t.Context(), "b", o.Key); err != nil || gone != nil ||
			!bytes.Equal(digest.SHA256, row.SHA256) {
			t.Errorf("%s: %v, %v", o.Key, err, gone)
		}
	}
}

// Rule: BACKUP-5
func TestOnlyItsKeyOpensAnEncryptedSnapshot(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	key, err := age.GenerateX25519Identity()
	w.must(err)
	other, err := age.GenerateX25519Identity()
	w.must(err)
	w.to = []age.Recipient{key.Recipient()}
	object := w.object("key", "words that nobody else reads")
	w.person(1)
	w.take()
	for _, path := range []string{w.file("rows.jsonl.gz.age"), w.contentOf(object.Blob)} {
		content, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(content, []byte("age-encryption.org/v1\n")) ||
			bytes.Contains(content, []byte("nobody")) {
			t.Errorf("%s is not encrypted: %v", path, err)
		}
	}
	list, err := os.ReadFile(w.file("contents.jsonl.gz"))
	if w.must(err); bytes.Contains(list, []byte(hex.EncodeToString(object.SHA256))) {
		t.Error("the list tells which files there are")
	}
	e := newElsewhere(t, engines()["postgres"](t))
	for name, with := range map[string][]age.Identity{"none": nil, "another": {other}} {
		if err := e.restore(w.dir, backup.RestoreOptions{Identities: with}); !fault.HasReason(err, backup.ReasonWrongKey) {
			t.Errorf("with %s: %v", name, err)
		}
	}
	w.must(e.restore(w.dir, backup.RestoreOptions{Identities: []age.Identity{other, key}}))
}

// Rule: BACKUP-6
func TestADatabaseInWhichAnythingIsStaysAsItIs(t *testing.T) {
	for name, database := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, database(t))
			w.take()
			used := newWorld(t, database(t))
			used.person(1)
			err := newElsewhere(t, used.url).restore(w.dir, backup.RestoreOptions{})
			if !fault.HasReason(err, sqlstore.ReasonDatabaseInUse) {
				t.Errorf("said: %v", err)
			}
			if _, err := used.store.FindUser(t.Context(), "U1"); err != nil {
				t.Error(err)
			}
			w.must(newElsewhere(t, database(t)).restore(w.dir, backup.RestoreOptions{}))
		})
	}
}

// Rule: BACKUP-7
func TestASnapshotOfANewerVersionIsRefusedByName(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	schema := w.take().Schema
	for _, newer := range []string{`"format": 2`, fmt.Sprintf(`"schema": %d`, schema+1)} {
		was, err := os.ReadFile(w.file("manifest.json"))
		w.must(err)
		name, _, _ := strings.Cut(newer, ":")
		w.spoil(w.file("manifest.json"), func(content []byte) []byte {
			before, rest, _ := strings.Cut(string(content), name)
			_, rest, _ = strings.Cut(rest, ",")
			return []byte(strings.Replace(before, `"portico": "`, `"portico": "7.`, 1) + newer + "," + rest)
		})
		w.sum()
		err = newElsewhere(t, engines()["sqlite"](t)).restore(w.dir, backup.RestoreOptions{})
		if !fault.HasReason(err, backup.ReasonNewer) {
			t.Errorf("%s: %v", newer, err)
		}
		w.must(os.WriteFile(w.file("manifest.json"), was, 0o600))
		w.sum()
	}
	w.must(newElsewhere(t, engines()["sqlite"](t)).restore(w.dir, backup.RestoreOptions{}))
}

// Rule: BACKUP-7
func TestASnapshotOfAnOlderVersionIsBroughtUpToThisOne(t *testing.T) {
	const rows = `{"table":"users","columns":["id","email","email_key","email_verified","username","username_key","name_key","admin","disabled","two_factor","password_hash","profile","created_at","updated_at","last_sign_in_at"]}
["U1","a@example.test","a@example.test",true,"ann","ann","ann",true,false,false,"x","{}",1,2,null]
{"rows":1}
`
	for name, database := range engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, engines()["sqlite"](t))
			schema := w.take().Schema
			w.pack("rows.jsonl.gz", rows)
			w.spoil(w.file("manifest.json"), func(content []byte) []byte {
				return []byte(strings.Replace(string(content), fmt.Sprintf(`"schema": %d`, schema), `"schema": 1`, 1))
			})
			w.sum()
			e := newElsewhere(t, database(t))
			w.must(e.restore(w.dir, backup.RestoreOptions{}))
			status, err := e.schema.Status(t.Context())
			if err != nil || status.Applied != schema {
				t.Errorf("the schema is %+v, %v; want %d", status, err, schema)
			}
			user, err := e.opened().store.FindUser(t.Context(), "U1")
			if err != nil || !user.Admin || user.Email != "a@example.test" {
				t.Errorf("%+v, %v", user, err)
			}
		})
	}
}

// Rule: BACKUP-4
func TestASnapshotThatIsNotThereIsSaidSo(t *testing.T) {
	w := newWorld(t, engines()["sqlite"](t))
	e := newElsewhere(t, engines()["sqlite"](t))
	said := func(dir, at, word string) {
		t.Helper()
		err := e.restore(dir, backup.RestoreOptions{At: at})
		if !fault.HasReason(err, backup.ReasonNoSnapshot) || !strings.Contains(err.Error(), word) {
			t.Errorf("said: %v", err)
		}
	}
	said(filepath.Join(w.dir, "nowhere"), "", "nowhere")
	said(w.dir, "", "portico backup")
	made := w.take()
	said(w.dir, "20010203T040506.000Z", made.Name)
	w.must(e.restore(w.dir, backup.RestoreOptions{At: made.Name}))
}
