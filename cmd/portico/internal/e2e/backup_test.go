package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage/blobstore"
)

// elsewhere is a site without a server on an empty database of the same engine, with an
// empty place for bytes of the same kind. It has the name of the one before.
func (q *quay) elsewhere(t *testing.T) (*site, blobstore.Store) {
	t.Helper()
	database, settings := sqliteURL, []string(nil)
	if strings.HasPrefix(q.database(), "postgres") {
		database = pgtest.URL
	}
	var blobs blobstore.Store
	_, files := q.blobs.(*blobstore.Files)
	if !files {
		settings, blobs = inBucket(t)
	}
	there := newSite(t, database(t), settings...)
	there.URL = q.URL
	if files {
		store, err := blobstore.OpenFiles(filepath.Join(there.dataDir(), "files"), ambient.System())
		q.must(err)
		t.Cleanup(func() { q.must(store.Close()) })
		blobs = store
	}
	return there, blobs
}

// Rule: BACKUP-10
func TestABackupUnderLoadComesBackElsewhere(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, q *quay) {
		q.person("person@example.test")
		app := q.client()
		got := q.visitor("person@example.test").tokens(app)
		access, newest := got.text("access_token"), got.text("refresh_token")
		early := &docker{quay: q}
		for range 20 {
			early.upload()
		}

		over, folder := make(chan struct{}), t.TempDir()
		var working sync.WaitGroup
		until := func(act func()) {
			working.Go(func() {
				for {
					select {
					case <-over:
						return
					default:
						act()
					}
				}
			})
		}
		for i := range 2 {
			busy := &docker{quay: q, number: i + 1}
			until(busy.upload)
		}
		until(func() { newest = q.refresh(app, newest).text("refresh_token") })
		until(func() { q.mortal.token(q.app, "grant_type", "client_credentials") })
		for range 3 { // the second and the third find bytes of those before
			q.command("", "backup", folder)
		}
		close(over)
		working.Wait()
		q.must(q.process.stop())

		there, blobs := q.elsewhere(t)
		there.command("", "restore", folder)
		there.command("", "verify")
		there.spawn()
		there.checkTokens(app, access, newest)
		for _, l := range early.landed {
			there.checkLanded(q, l, blobs)
		}
	})
}

// checkTokens checks that tokens of before the backup are good, and that a chain of
// refresh tokens goes on, which is longer than what was restored.
func (s *site) checkTokens(app client, access, newest string) {
	s.Helper()
	if got := s.userInfo(access); got.Status != http.StatusOK {
		s.Errorf("an access token of before: %d %s", got.Status, got.Body)
	}
	for range 2 {
		got := s.refresh(app, newest)
		if got.Status != http.StatusOK {
			s.Fatalf("the newest refresh token: %d %s", got.Status, got.Body)
		}
		newest = got.text("refresh_token")
	}
}

// checkLanded checks that an upload of before the backup is there with its bytes.
func (s *site) checkLanded(q *quay, l landed, blobs blobstore.Store) {
	s.Helper()
	row, err := q.record(l.cargo)
	s.must(err)
	digest, err := blobstore.Sum(s.Context(), blobs, row.Blob, nil)
	if err != nil || string(digest.SHA256) != string(row.SHA256) {
		s.Errorf("%s: %v", row.Key, err)
	}
}
