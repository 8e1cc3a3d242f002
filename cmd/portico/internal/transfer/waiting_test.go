package transfer_test

import (
	"archive/zip"
	"bytes"
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

// The server is down while the half that has come of an archive is to go on, or others have taken all
// of their places at it.
//
// Rule: OBJ-48
func TestHalfAnArchiveIsKeptWhileTheServerIsAway(t *testing.T) {
	content := zipped(t)
	heads, begun := 0, ""
	ctx, interrupt := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			begun += "made "
			_, _ = fmt.Fprintf(w, `{"url":"http://%s/zip","name":"z.zip","size":%d}`, r.Host, len(content))
		case r.Method == http.MethodHead && heads < 2:
			w.WriteHeader([]int{http.StatusServiceUnavailable, http.StatusTooManyRequests}[heads])
			heads++
		case r.Header.Get("Range") == "bytes=0-" && heads == 0:
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(content[:8])
			_ = http.NewResponseController(w).Flush()
			time.AfterFunc(100*time.Millisecond, interrupt)
			<-r.Context().Done()
		default:
			begun += r.Header.Get("Range")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}
	}))
	t.Cleanup(server.Close)
	c, told := waiting(t, server.URL)
	want := transfer.Download{Project: "p", Version: "urn:x:fs.folder:f", Out: t.TempDir()}
	if _, err := c.DownloadFolder(ctx, want); err == nil {
		t.Fatal("it was not interrupted")
	}
	got, err := c.DownloadFolder(t.Context(), want)
	if err != nil || begun != "made bytes=8-" {
		t.Errorf("%+v, %v; told %q, asked for %q", got, err, *told, begun)
	}
}

func zipped(t *testing.T) []byte {
	t.Helper()
	var content bytes.Buffer
	archive := zip.NewWriter(&content)
	if _, err := archive.Create("plan.txt"); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return content.Bytes()
}
