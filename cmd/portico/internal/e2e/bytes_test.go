package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/s3test"
	"github.com/portico-id/portico/storage/blobstore"
)

// quay is a yard where files are uploaded and downloaded.
type quay struct {
	*yard
	blobs blobstore.Store // what the server keeps bytes in, seen from outside
}

// soaking says whether this is a soak, which tries all where the suite tries some of what is alike.
func soaking() bool {
	return slices.ContainsFunc(os.Environ(), func(setting string) bool {
		return strings.HasPrefix(setting, "PORTICO_SOAK_")
	})
}

// place is where a site keeps its rows and its bytes.
type place struct {
	name     string
	database func(testing.TB) string
	bucket   bool
}

// places returns each engine and each place for bytes, once: neither knows of the other. A soak
// takes all four.
func places() []place {
	all := []place{{"sqlite, files", sqliteURL, false}, {"postgres, S3", pgtest.URL, true}}
	if soaking() {
		all = append(all, place{"sqlite, S3", sqliteURL, true}, place{"postgres, files", pgtest.URL, false})
	}
	return all
}

// eachPlace runs the test in all places.
func eachPlace(t *testing.T, test func(t *testing.T, q *quay)) { eachPlaceWith(t, nil, test) }

// eachPlaceWith is eachPlace with settings.
func eachPlaceWith(t *testing.T, settings []string, test func(t *testing.T, q *quay)) {
	for _, at := range places() {
		t.Run(at.name, func(t *testing.T) { test(t, newQuay(t, at.database(t), at.bucket, settings...)) })
	}
}

func newQuay(t *testing.T, database string, bucket bool, settings ...string) *quay {
	t.Helper()
	if !bucket {
		q := &quay{yard: newYard(t, database, settings...)}
		files, err := blobstore.OpenFiles(filepath.Join(q.dataDir(), "files"), ambient.System())
		q.must(err)
		t.Cleanup(func() { q.must(files.Close()) })
		q.blobs = files
		return q
	}
	into, store := inBucket(t)
	return &quay{newYard(t, database, append(into, settings...)...), store}
}

// inBucket starts an S3 service, and returns the settings of a server that keeps
// bytes there, and the same place seen from outside.
func inBucket(t *testing.T) ([]string, blobstore.Store) {
	t.Helper()
	service := s3test.Start(t)
	store, err := blobstore.OpenS3(blobstore.S3Options{
		Endpoint: service.Endpoint, Bucket: service.Bucket, AccessKey: service.AccessKey, SecretKey: service.SecretKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	return []string{"S3_ENDPOINT=" + service.Endpoint, "S3_BUCKET=" + service.Bucket,
		"S3_ACCESS_KEY=" + service.AccessKey, "S3_SECRET_KEY=" + service.SecretKey}, store
}

// cargo is a file on its way, as its client knows it.
type cargo struct {
	urn, path string // of the object
	uploadKey string
}

// addresses is the answer with which an upload begins or goes on.
type addresses struct {
	UploadKey string
	URLs      []string
	Parts     []struct{ Part int }
}

// reserve makes an object in the yard's folder.
func (q *quay) reserve(name string) *cargo {
	got, _ := q.insist(http.MethodPost, q.all("storage"), http.StatusCreated, object{"data": object{
		"type": "objects", "attributes": object{"name": name},
		"relationships": object{"target": leads("folders", folderURN(q.files))},
	}})
	var made struct{ Data struct{ ID string } }
	q.must(json.Unmarshal([]byte(got.Body), &made))
	bucket, key, _ := strings.Cut(made.Data.ID[strings.Index(made.Data.ID, "os.object:")+len("os.object:"):], "/")
	return &cargo{urn: made.Data.ID, path: "/oss/v2/buckets/" + bucket + "/objects/" + url.PathEscape(key)}
}

// ask begins the upload, or goes on with it, at a part.
func (q *quay) ask(c *cargo, first, parts string) addresses {
	query := url.Values{"firstPart": {first}, "parts": {parts}, "minutesExpiration": {"60"}}
	if c.uploadKey != "" {
		query.Set("uploadKey", c.uploadKey)
	}
	got, _ := q.insist(http.MethodGet, c.path+"/signeds3upload?"+query.Encode(), http.StatusOK, nil)
	var a addresses
	q.must(json.Unmarshal([]byte(got.Body), &a))
	c.uploadKey = a.UploadKey
	return a
}

// put sends a small part until it is acknowledged, as clients do that can go
// on: with a new address after each failure.
func (q *quay) put(c *cargo, part string, body []byte) {
	for {
		address := q.ask(c, part, "1").URLs[0]
		r, err := http.NewRequest(http.MethodPut, address, bytes.NewReader(body))
		q.must(err)
		if got, err := try(q.plain, r); err == nil && got.Status == http.StatusOK {
			return
		} else if err == nil && got.Status != http.StatusServiceUnavailable {
			q.Errorf("PUT: %d %s", got.Status, got.Body)
			return
		}
		q.await()
	}
}

// complete completes the upload until that is acknowledged.
func (q *quay) complete(c *cargo, sum string) {
	got, _ := q.insist(http.MethodPost, c.path+"/signeds3upload", http.StatusOK,
		object{"uploadKey": c.uploadKey, "sha256": sum})
	if !strings.Contains(got.Body, `"sha256":"`+sum+`"`) {
		q.Errorf("completed: %s", got.Body)
	}
}

// item makes an item of the object.
func (q *quay) item(c *cargo, name string) {
	q.insist(http.MethodPost, q.all("items"), http.StatusCreated, object{
		"data": object{
			"type": "items", "attributes": object{"displayName": name},
			"relationships": object{"tip": leads("versions", "1"), "parent": leads("folders", folderURN(q.files))},
		},
		"included": []any{object{
			"type": "versions", "id": "1", "attributes": object{"name": name},
			"relationships": object{"storage": leads("objects", c.urn)},
		}},
	})
}
