package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/dataapi/pdf/pdftest"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

// gallery is a quay with a twin.
type gallery struct {
	*quay

	hub    string
	twin   string // URN
	bearer string
}

func newGallery(t *testing.T, q *quay) *gallery {
	place, err := q.store.FindProject(t.Context(), storage.Caller{}, q.project)
	q.must(err)
	g := &gallery{quay: q, hub: place.Hub.ID, bearer: q.token}
	var made struct{ ID string }
	q.commandJSON(&made, "", "twin", "create", "--hub", g.hub, "--name", "Tower", "--json")
	g.twin = made.ID
	return g
}

// bytesOf stores bytes as an object of the project, behind the server's back.
func (g *gallery) bytesOf(content []byte) (bucket, key string) {
	source, ctx := ambient.System(), g.Context()
	blob := source.UID()
	upload, err := g.blobs.Begin(ctx, blob)
	g.must(err)
	part, err := g.blobs.PutPart(ctx, blob, upload, 1, bytes.NewReader(content), int64(len(content)))
	g.must(err)
	g.must(g.blobs.Complete(ctx, blob, upload, []blobstore.Part{part}))
	bucket, key = "wip.dm", source.UUID()
	act := storage.Change{Act: storage.Act{At: source.Now()}}
	g.must(g.store.ReserveObject(ctx, act, storage.Object{
		Bucket: bucket, Key: key, ProjectID: g.project, Name: "f", Target: storage.ObjectTarget{FolderID: g.files},
	}))
	sum := sha256.Sum256(content)
	_, err = g.store.StoreBytes(ctx, act, bucket, key,
		storage.Bytes{Blob: blob, Size: int64(len(content)), SHA256: sum[:], SHA1: []byte{1}})
	g.must(err)
	return bucket, key
}

// file adds an item with the bytes, none for nil.
func (g *gallery) file(name string, content []byte) string {
	source := ambient.System()
	version := storage.NewVersion{Name: name}
	if content != nil {
		version.Bucket, version.ObjectKey = g.bytesOf(content)
	}
	item, err := g.store.CreateItem(g.Context(), storage.Change{Act: storage.Act{At: source.Now()}}, g.project,
		storage.Item{ID: source.UID(), FolderID: g.files, Name: name}, version)
	g.must(err)
	return item.Item.ID
}

func (g *gallery) newVersion(item string, content []byte) {
	bucket, key := g.bytesOf(content)
	_, err := g.store.AddVersion(g.Context(), storage.Change{Act: storage.Act{At: ambient.System().Now()}}, g.project,
		item,
		storage.NewVersion{Name: "f", Bucket: bucket, ObjectKey: key})
	g.must(err)
}

func (g *gallery) entry(item string) object {
	return object{"accProjectId": g.project, "accAccountId": g.hub, "accLineage": "urn:portico:dm.lineage:" + item}
}

// call makes a request, and returns nothing when its answer is lost.
func (g *gallery) call(method, path string, body any) (answer, error) {
	var in io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		g.must(err)
		in = bytes.NewReader(text)
	}
	r, err := http.NewRequest(method, g.URL+path, in)
	g.must(err)
	r.Header.Set("Authorization", "Bearer "+g.bearer)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return try(g.plain, r)
}

type imported struct {
	Data []struct {
		ID, Outcome string
		Error       struct{ Code string }
	}
}

func (g *gallery) importAll(entries []any) (imported, error) {
	var got imported
	a, err := g.call("POST", "/twins/"+g.twin+"/documentsbulk", entries)
	if err != nil {
		return got, err
	}
	if a.Status != http.StatusOK {
		return got, fmt.Errorf("%d %s", a.Status, a.Body)
	}
	return got, json.Unmarshal([]byte(a.Body), &got)
}

// documents returns all there are, by the store.
func (g *gallery) documents() []storage.TwinDocument {
	var all []storage.TwinDocument
	for page := (storage.PageRequest{}); ; {
		some, next, err := g.store.ListDocuments(g.Context(), g.twin[strings.LastIndex(g.twin, ":")+1:],
			storage.DocumentQuery{}, page)
		g.must(err)
		if all = append(all, some...); next == "" {
			return all
		}
		page.After = next
	}
}

// broken are ten ways in which an entry can be wrong, with what is said of each.
func (g *gallery) broken(i int) (entry any, code string) {
	name := fmt.Sprintf("broken %d.pdf", i)
	contents := map[int][]byte{0: pdftest.Encrypted(), 1: pdftest.Truncated(), 2: pdftest.HTML(),
		3: bombs()[i/10%2], 4: pdftest.Circle()}
	codes := []string{
		"pdf_encrypted", "pdf_truncated", "not_a_pdf", "pdf_too_complex", "pdf_damaged",
		"no_bytes", "item_not_found", "project_not_found", "malformed_id", "bad_input",
	}
	way := i % len(codes)
	e := g.entry(ambient.System().UID())
	switch way {
	case 0, 1, 2, 3, 4, 5:
		e = g.entry(g.file(name, contents[way]))
	case 7:
		e["accProjectId"] = "b." + ambient.System().UUID()
	case 8:
		e["accLineage"] = "urn:none"
	case 9:
		e["policy"] = "often"
	}
	return e, codes[way]
}

var bombs = sync.OnceValue(func() [2][]byte {
	return [2][]byte{pdftest.Bomb(), pdftest.Hostile()["objects without end in streams"]}
})

// eachGallery runs the test with SQLite and files, and with PostgreSQL and S3.
func eachGallery(t *testing.T, test func(t *testing.T, g *gallery)) {
	t.Run("sqlite, files", func(t *testing.T) { test(t, newGallery(t, newQuay(t, sqliteURL(t), false))) })
	t.Run("postgres, S3", func(t *testing.T) { test(t, newGallery(t, newQuay(t, pgtest.URL(t), true))) })
}

// importMemory is what a server may have in memory while it imports.
const importMemory = 200_000_000

// Rules: TWIN-7, TWIN-13
func TestAKilledImportLeavesNothingHalfMade(t *testing.T) {
	t.Parallel()
	full := soakOutage(t) > 0
	eachGallery(t, func(t *testing.T, g *gallery) {
		many, bad := 200, 20
		if full {
			many, bad = 500, 50
		}
		var entries []any
		codes := make([]string, many)
		for i := range many {
			if i%(many/bad) == 3 {
				e, code := g.broken(i / (many / bad))
				entries, codes[i] = append(entries, e), code
				continue
			}
			entries = append(entries, g.entry(g.file(fmt.Sprintf("plan %d.pdf", i), pdftest.Plain(2, fmt.Sprint(i)))))
		}
		lost := make(chan error)
		go func() {
			_, err := g.importAll(entries)
			lost <- err
		}()
		g.within(time.Minute, func() bool { return len(g.documents()) >= many/10 }, "nothing is imported")
		g.process.kill()
		if err := <-lost; err == nil {
			t.Fatal("the server was killed too late")
		}
		g.process = g.spawn()
		g.whole("after the kill")
		got, err := g.importAll(entries)
		g.must(err)
		outcomes := map[string]int{}
		for i, one := range got.Data {
			outcomes[one.Outcome]++
			if one.Error.Code != codes[i] || (one.ID == "") != (codes[i] != "") {
				t.Errorf("%d: %+v, want %q", i, one, codes[i])
			}
		}
		if outcomes["unchanged"] < many/10 || outcomes["created"]+outcomes["unchanged"] != many-bad || outcomes[""] != bad {
			t.Errorf("%v", outcomes)
		}
		if n := len(g.documents()); n != many-bad {
			t.Errorf("%d documents", n)
		}
		g.whole("after the second import")
		if most := residentPeak(g.site); most > raceShadows*importMemory {
			t.Errorf("the server had %d MB in memory", most/1_000_000)
		} else {
			t.Logf("%v; at most %d MB in memory", outcomes, most/1_000_000)
		}
	})
}

// whole checks that every document has its bytes.
func (g *gallery) whole(when string) {
	g.Helper()
	for _, d := range g.documents() {
		digest, err := blobstore.Sum(g.Context(), g.blobs, d.Blob, func(int64) {})
		if err != nil || digest.Size != d.Size || !bytes.Equal(digest.SHA256, d.SHA256) {
			g.Errorf("%s: %s has %d bytes, %v; want %d", when, d.Name, digest.Size, err, d.Size)
		}
	}
}

// soakOutageVariable says how many seconds the server is down in the middle of
// TestADocumentHasTheNewBytesWithinFiveSecondsAfterAnOutageToo, usually none; make
// soak-twins sets it.
const soakOutageVariable = "PORTICO_SOAK_OUTAGE"

func soakOutage(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv(soakOutageVariable)
	if text == "" {
		return 0
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 1 {
		t.Fatalf("%s is %q: it must be a number of seconds", soakOutageVariable, text)
	}
	return time.Duration(seconds) * time.Second
}

// Rule: TWIN-11
func TestADocumentHasTheNewBytesWithinFiveSecondsAfterAnOutageToo(t *testing.T) {
	outage := soakOutage(t)
	eachGallery(t, func(t *testing.T, g *gallery) {
		item := g.file("manual.pdf", pdftest.Plain(1, "one"))
		got, err := g.importAll([]any{g.entry(item)})
		g.must(err)
		urn := got.Data[0].ID
		serves := func(content []byte) func() bool {
			return func() bool {
				a, err := g.call("GET", "/twins/"+g.twin+"/documents/"+url.PathEscape(urn)+"/content", nil)
				return err == nil && a.Status == http.StatusOK && a.Body == string(content)
			}
		}
		taken := func(content []byte, what string) time.Duration {
			const promised = 5 * time.Second
			since := time.Now()
			g.within(promised, serves(content), "%s is not there", what)
			return time.Since(since).Round(10 * time.Millisecond)
		}
		taken(pdftest.Plain(1, "one"), "the copy")
		g.newVersion(item, pdftest.Plain(2, "two"))
		running := taken(pdftest.Plain(2, "two"), "the new version")
		g.process.kill()
		g.newVersion(item, pdftest.Plain(3, "three"))
		time.Sleep(outage)
		g.process = g.spawn()
		after := taken(pdftest.Plain(3, "three"), "the version that came during the outage")
		t.Logf("the new bytes came after %s, and %s after an outage of %s", running, after, outage)
	})
}
