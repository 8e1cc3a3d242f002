package transfer_test

import (
	"context"
	"fmt"
	"io"
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

// waiting returns a client of a server that soon gives up, and what it tells people meanwhile.
func waiting(t *testing.T, server string) (*transfer.Client, *[]string) {
	t.Helper()
	told := new([]string)
	c, err := transfer.New(transfer.Options{Server: server, Tokens: transfer.Fixed("x"), Ambient: ambient.System(),
		Patience: 2 * time.Second, Note: func(text string) { *told = append(*told, text) }})
	if err != nil {
		t.Fatal(err)
	}
	return c, told
}

// gone is the address of a server that is no more.
func gone() string {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	return server.URL
}

// Whoever has mistyped the address would sit before a command that says nothing for two minutes.
//
// Rule: OBJ-48
func TestWhoeverWaitsForAServerIsToldWhatFor(t *testing.T) {
	c, told := waiting(t, gone())
	_, err := c.Download(t.Context(), transfer.Download{Project: "p", Version: "urn:x:dm.lineage:v", Out: t.TempDir()})
	if err == nil || len(*told) != 1 || !strings.Contains((*told)[0], "connection refused. It is waited for, 2s at most.") {
		t.Errorf("told %q, %v", *told, err)
	}
}

// A store of bytes that can't be reached from here is waited for while the server itself answers. By
// their addresses anybody could put other bytes there, and logs of builds are public.
//
// Rule: OBJ-48
func TestAStoreThatIsAwayIsToldOnceAndWithoutItsAddresses(t *testing.T) {
	server := httptest.NewServer(taker{to: gone() + "/signed/ticket?signature=ticket"})
	t.Cleanup(server.Close)
	c, told := waiting(t, server.URL)
	file := filepath.Join(t.TempDir(), "plan.txt")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := c.Upload(t.Context(), transfer.Upload{File: file, Project: "p", Folder: "f"})
	if err == nil || len(*told) != 1 || strings.Contains(fmt.Sprint(*told, err), "ticket") {
		t.Errorf("told %q, %v", *told, err)
	}
}

// Bytes that are looked at for viruses are waited for at a server that is there.
//
// Rule: OBJ-48
func TestWhoeverWaitsForAScannerIsNotToldThatTheServerIsAway(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusLocked)
		_, _ = fmt.Fprint(w, `{"errors":[{"code":"scan_pending","detail":"It is being looked at."}]}`)
	}))
	t.Cleanup(server.Close)
	c, told := waiting(t, server.URL)
	_, err := c.Download(t.Context(), transfer.Download{Project: "p", Version: "urn:x:dm.lineage:v", Out: t.TempDir()})
	if err == nil || len(*told) != 1 || (*told)[0] != "It is being looked at. It is waited for, 2s at most." {
		t.Errorf("told %q, %v", *told, err)
	}
}

// A server may read a large file for minutes once all of it has come.
//
// Rule: OBJ-48
func TestWhoeverIsInterruptedWhileTheServerReadsTheFileSendsItOnce(t *testing.T) {
	sent, completed := 0, 0
	ctx, interrupt := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		atParts := strings.HasSuffix(r.URL.Path, "/signeds3upload")
		switch {
		case atParts && r.Method == http.MethodPost && completed == 0:
			completed++
			_, _ = io.Copy(io.Discard, r.Body)
			interrupt()
			<-r.Context().Done()
		case atParts && r.Method == http.MethodGet && completed > 0:
			w.WriteHeader(http.StatusGone)
			_, _ = fmt.Fprint(w, `{"reason":"The upload has ended.","code":"upload_ended"}`)
		default:
			taker{taken: "plan.txt", put: func(body io.Reader) bool { sent++; return whole(body) }}.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	c, told := waiting(t, server.URL)
	file := filepath.Join(t.TempDir(), "plan.txt")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	up := transfer.Upload{File: file, Project: "p", Folder: "f"}
	if _, err := c.Upload(ctx, up); err == nil {
		t.Fatal("it was not interrupted")
	}
	if got, err := c.Upload(t.Context(), up); err != nil || got.Number != 2 || sent != 1 {
		t.Errorf("%+v, %v; sent %d times, told %q", got, err, sent, *told)
	}
}
