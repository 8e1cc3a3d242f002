package transfer_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/transfer"
	"github.com/portico-id/portico/internal/ambient"
)

// at returns a client of a server that answers as told.
func at(t *testing.T, answer http.HandlerFunc) (*transfer.Client, string) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	c, err := transfer.New(transfer.Options{Server: server.URL, Tokens: transfer.Fixed("x"), Ambient: ambient.System()})
	if err != nil {
		t.Fatal(err)
	}
	return c, server.URL
}

// Rule: OBJ-58
func TestAServerSaysNowhereElseToWriteTo(t *testing.T) {
	dir := t.TempDir()
	work := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	c, _ := at(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/signeds3download") {
			_, _ = fmt.Fprintf(w, `{"url":"http://%s/bytes","size":5,"sha256":"/../../victim%s"}`, r.Host, strings.Repeat("a", 51))
			return
		}
		_, _ = fmt.Fprint(w, `{"data":{"id":"v?version=1","attributes":{"name":"f"},
			"relationships":{"storage":{"data":{"id":"urn:x:os.object:b/k"}}}}}`)
	})
	_, err := c.Download(t.Context(), transfer.Download{Project: "p", Version: "v?version=1", Out: work})
	if err == nil || !strings.Contains(err.Error(), "what the bytes must be") {
		t.Errorf("a hash that is none: %v", err)
	}
}

// giver has a file of the name.
func giver(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/signeds3download"):
			_, _ = fmt.Fprintf(w, `{"url":"http://%s/bytes","size":5,"sha256":"%x"}`, r.Host, sha256.Sum256([]byte("hello")))
		case r.URL.Path == "/bytes":
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader("hello"))
		default:
			_, _ = fmt.Fprintf(w, `{"data":{"id":"v?version=1","attributes":{"name":%q},
				"relationships":{"storage":{"data":{"id":"urn:x:os.object:b/k"}}}}}`, name)
		}
	}
}

// Rule: OBJ-47
func TestAFolderThatIsNotThereIsMadeForWhatItIsToHold(t *testing.T) {
	out := filepath.Join(t.TempDir(), "plans", "new") + "/"
	c, _ := at(t, giver("f"))
	got, err := c.Download(t.Context(), transfer.Download{Project: "p", Version: "v?version=1", Out: out})
	if err != nil || got.File != filepath.Join(out, "f") {
		t.Fatalf("%+v, %v", got, err)
	}
	if text, err := os.ReadFile(got.File); string(text) != "hello" {
		t.Errorf("%q, %v", text, err)
	}
}

// Hours may lie between the beginning of a download and its end.
//
// Rule: OBJ-47
func TestAFileThatCameWhileAnotherWasDownloadedStays(t *testing.T) {
	for want, force := range map[string]bool{"mine": false, "hello": true} {
		path := filepath.Join(t.TempDir(), "f")
		c, _ := at(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/bytes" && os.WriteFile(path, []byte("mine"), 0o600) != nil {
				t.Error("it could not be written")
			}
			giver("f")(w, r)
		})
		d := transfer.Download{Project: "p", Version: "v?version=1", Out: path, Force: force}
		_, err := c.Download(t.Context(), d)
		if text, _ := os.ReadFile(path); string(text) != want || (err == nil) != force {
			t.Errorf("with force %v: %q, %v", force, text, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		c, _ = at(t, giver("f"))
		if _, err := c.Download(t.Context(), d); err != nil { // goes on with what has come
			t.Error(err)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); len(left) != 1 || err != nil {
			t.Errorf("left are %v, %v", left, err)
		}
	}
}

// A server knows names of 255 characters, most file systems such of 255 bytes.
//
// Rule: OBJ-47
func TestAFileWithALongNameGoesBothWays(t *testing.T) {
	named := func(letters int) string { return strings.Repeat("\u56fe", letters) + ".txt" }
	for there, here := range map[int]int{81: 81, 251: 83} {
		c, _ := at(t, giver(named(there)))
		got, err := c.Download(t.Context(), transfer.Download{Project: "p", Version: "v?version=1", Out: t.TempDir()})
		if err != nil || filepath.Base(got.File) != named(here) {
			t.Errorf("%d letters: %+v, %v", there, got, err)
		}
	}
	var said []string
	server := taker{taken: named(81), put: whole, note: func(text string) { said = append(said, text) }}
	if got, err := server.upload(t, named(81), ambient.System()); err != nil || got.Number != 2 || said != nil {
		t.Errorf("%+v, %v, %q", got, err, said)
	}
}

// Rule: OBJ-58
func TestTheNoteOfAnArchiveThatSomebodyElsePutThereIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	var called []string
	c, _ := at(t, func(w http.ResponseWriter, r *http.Request) {
		called = append(called, r.Method+" "+r.URL.Path)
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, `{"url":"http://%s/zip","name":"z.zip","size":5}`, r.Host)
	})
	want := transfer.Download{Project: "p", Version: "urn:x:fs.folder:f", Out: dir}
	_, _ = c.DownloadFolder(t.Context(), want)
	notes, err := filepath.Glob(filepath.Join(dir, ".*.portico-archive"))
	if err != nil || len(notes) != 1 {
		t.Fatalf("%q, %v", notes, err)
	}
	for _, step := range []error{os.Remove(notes[0]), os.WriteFile(victim, []byte(`{"url":"mine"}`), 0o600),
		os.Symlink(victim, notes[0])} {
		if step != nil {
			t.Fatal(step)
		}
	}
	_, _ = c.DownloadFolder(t.Context(), want)
	if text, err := os.ReadFile(victim); string(text) != `{"url":"mine"}` {
		t.Errorf("the victim says %q, %v", text, err)
	}
	if len(called) == 0 || called[0] != "POST /files/v1/projects/p/archives" {
		t.Errorf("%q", called)
	}
}
