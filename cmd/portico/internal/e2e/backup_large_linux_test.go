package e2e

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	soakBackupPeople    = "PORTICO_SOAK_BACKUP_PEOPLE"
	soakBackupMegabytes = "PORTICO_SOAK_BACKUP_MEGABYTES"

	// backupMemory is what a backup or a restore may have in memory, however large it is.
	backupMemory = 150_000_000

	megabytesOfFile = 10
)

func numberOf(t *testing.T, variable string, quick int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return quick
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s: expected a number from 1", variable, text)
	}
	return n
}

// stow keeps files of so many megabytes without a server: what is measured is the backup.
func (q *quay) stow(files, megabytes int) {
	q.Helper()
	source := ambient.System()
	change := storage.Change{Act: storage.Act{At: source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}}
	random := rand.NewChaCha8([32]byte{1})
	body := make([]byte, megabytes*1_000_000)
	for i := range files {
		_, _ = random.Read(body)
		key, blob, sum := fmt.Sprintf("large-%d", i), source.UID(), sha256.Sum256(body)
		q.must(q.store.ReserveObject(q.Context(), change,
			storage.Object{Bucket: "b", Key: key, ProjectID: q.project, Name: key}))
		upload, err := q.blobs.Begin(q.Context(), blob)
		q.must(err)
		part, err := q.blobs.PutPart(q.Context(), blob, upload, 1, bytes.NewReader(body), int64(len(body)))
		q.must(err)
		q.must(q.blobs.Complete(q.Context(), blob, upload, []blobstore.Part{part}))
		_, err = q.store.StoreBytes(q.Context(), change, "b", key,
			storage.Bytes{Blob: blob, Size: int64(len(body)), SHA256: sum[:]})
		q.must(err)
	}
}

// measured runs a command of the site in a process, which must succeed in little memory.
func (s *site) measured(args ...string) {
	s.Helper()
	var said bytes.Buffer
	began := time.Now()
	cmd, tie := s.begun(&said, args...)
	defer tie.Close()
	most := peak(cmd.Process.Pid)
	err := cmd.Wait()
	took, memory := time.Since(began), most()
	if err != nil {
		s.Fatalf("portico %v: %v %s", args, err, said.String())
	}
	s.Logf("portico %s took %.1f s and %d MB of memory", args[0], took.Seconds(), memory/1_000_000)
	if memory > backupMemory {
		s.Errorf("portico %s took %d MB of memory", args[0], memory/1_000_000)
	}
}

// Rule: BACKUP-12
func TestALargeBackupTakesLittleMemory(t *testing.T) {
	people, megabytes := numberOf(t, soakBackupPeople, 20_000), numberOf(t, soakBackupMegabytes, 100)
	inTurn(t, func(t *testing.T, database string) {
		q := newQuay(t, database, false)
		q.must(q.process.stop())
		q.fillUsers(people)
		q.stow(megabytes/megabytesOfFile, megabytesOfFile)
		q.measured("backlog") // whoever opens the database first has all people be found: it is no part of the backup
		folder := t.TempDir()
		q.measured("backup", folder)
		q.measured("backup", folder) // of which the bytes are there
		if out, err := exec.Command("du", "-sm", folder).Output(); err == nil {
			t.Logf("the folder has %s", bytes.TrimSpace(out))
		}
		there, _ := q.elsewhere(t)
		there.measured("restore", folder)
		there.measured("verify")
		if want, got := q.counts(), there.counts(); want != got || got.Users < people {
			t.Errorf("%+v, and restored %+v", want, got)
		}
	})
}

// Rule: BACKUP-14
func TestAFileOfSeveralPartsComesBackIntoAnObjectStore(t *testing.T) {
	t.Parallel()
	q := newQuay(t, sqliteURL(t), true)
	q.stow(2, 70)
	folder := t.TempDir()
	q.command("", "backup", folder)
	there, _ := q.elsewhere(t)
	there.command("", "restore", folder)
	there.command("", "verify")
}
