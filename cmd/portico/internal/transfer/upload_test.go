package transfer_test

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/transfer"
	"github.com/portico-id/portico/internal/ambient"
)

// taker takes uploads into a folder in which an item has the name already.
type taker struct {
	taken string                    // name of the item
	put   func(io.Reader) (ok bool) // takes a part, or the connection breaks
	full  bool                      // takes none
	note  func(string)              // hears what a person should know
	to    string                    // where parts go; empty: to itself
}

func (s taker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPut && s.full:
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprint(w, `{"reason":"The project is full.","code":"quota_exceeded"}`)
	case r.Method == http.MethodPut:
		if !s.put(r.Body) {
			panic(http.ErrAbortHandler)
		}
	case strings.HasSuffix(r.URL.Path, "/storage"):
		_, _ = fmt.Fprint(w, `{"data":{"id":"urn:x:os.object:b/k"}}`)
	case strings.HasSuffix(r.URL.Path, "/signeds3upload") && r.Method == http.MethodGet:
		_, _ = fmt.Fprintf(w, `{"uploadKey":"u","urls":[%q]}`, cmp.Or(s.to, "http://"+r.Host+"/part"))
	case strings.HasSuffix(r.URL.Path, "/signeds3upload"):
		_, _ = fmt.Fprint(w, `{"size":5,"sha256":"00"}`)
	case strings.HasSuffix(r.URL.Path, "/items"):
		w.WriteHeader(http.StatusConflict)
		_, _ = fmt.Fprint(w, `{"errors":[{"code":"NAME_TAKEN","detail":"Another item in this folder has the name."}]}`)
	case strings.HasSuffix(r.URL.Path, "/contents"):
		_, _ = fmt.Fprintf(w, `{"data":[{"id":"other","attributes":{"displayName":"x"}},
			{"id":"item","attributes":{"displayName":%q}}]}`, s.taken)
	default:
		_, _ = fmt.Fprint(w, `{"data":{"id":"v?version=2","attributes":{"versionNumber":2}}}`)
	}
}

// upload uploads a file of the name.
func (s taker) upload(t *testing.T, name string, clock *ambient.Source) (transfer.Uploaded, error) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := transfer.New(transfer.Options{Server: server.URL, Tokens: transfer.Fixed("x"), Ambient: clock,
		Note: s.note})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	return c.Upload(t.Context(), transfer.Upload{File: file, Project: "p", Folder: "f"})
}

func whole(body io.Reader) bool {
	_, err := io.Copy(io.Discard, body)
	return err == nil
}

// macOS decomposes the names of files, and servers know names whatever they are made of.
//
// Rule: OBJ-47
func TestANameThatIsWrittenOtherwiseIsThatOfTheItem(t *testing.T) {
	for _, name := range []string{"\u00dcbersicht.txt", "U\u0308bersicht.txt", "\u00fcBERSICHT.TXT"} {
		got, err := taker{taken: "\u00dcbersicht.txt", put: whole}.upload(t, name, ambient.System())
		if err != nil || got.Item != "item" || got.Number != 2 {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
	if got, err := (taker{taken: "Another.txt", put: whole}).upload(t, "Here.txt", ambient.System()); err == nil {
		t.Errorf("became a version of another item: %+v", got)
	}
}

// Rule: OBJ-48
func TestALineThatBreaksAfterALongWhileIsTriedAgain(t *testing.T) {
	var later atomic.Int64
	clock := ambient.New(func() time.Time { return time.Unix(1_800_000_000, later.Load()) }, rand.Reader)
	broken := 0
	got, err := taker{taken: "plan.txt", put: func(body io.Reader) bool {
		if broken == 2 {
			return whole(body)
		}
		broken++
		later.Add(int64(transfer.Patience + time.Second)) // as a large part takes on a slow line
		return false
	}}.upload(t, "plan.txt", clock)
	if err != nil || got.Number != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// An address that has ended is answered with 403, too, and another one is asked for.
//
// Rule: OBJ-47
func TestAFullProjectIsSaidAtOnce(t *testing.T) {
	began := time.Now()
	_, err := taker{full: true, note: func(string) {}}.upload(t, "plan.txt", ambient.System())
	if err == nil || !strings.Contains(err.Error(), "The project is full.") || time.Since(began) > transfer.Patience/4 {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}
