package e2e

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// quiet starts a server of which nobody reads what it logs, and waits until it
// serves.
func quiet(t *testing.T, settings ...string) (s *site, process *os.Process, ended <-chan error) {
	t.Helper()
	port := freeport.Take(t)
	s = newSite(t, sqliteURL(t), append(settings, "LISTEN=127.0.0.1:"+port)...)
	cmd := s.portico("serve")
	unread, log := must2(os.Pipe())
	cmd.Stderr = log
	tie := must(cmd.StdinPipe())
	s.must(cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = tie.Close(); _ = unread.Close(); _ = log.Close() })
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	s.URL = "http://127.0.0.1:" + port
	s.address.Store("127.0.0.1:" + port)
	eventually(t, patience, "the server", func() bool {
		got, err := http.Get(s.URL + "/healthz")
		if err != nil {
			return false
		}
		return got.Body.Close() == nil
	})
	return s, cmd.Process, over
}

func must2[A, B any](a A, b B, err error) (A, B) {
	if err != nil {
		panic(err)
	}
	return a, b
}

// Rule: SERVER-36
func TestAServerWhoseLogNobodyReadsServesAndStops(t *testing.T) {
	t.Parallel()
	s, process, ended := quiet(t)
	for i := range 2000 { // several times what fits into a pipe
		got, err := try(s.plain, must(http.NewRequest(http.MethodGet, s.URL+"/nowhere", nil)))
		if err != nil || got.Status != http.StatusNotFound {
			t.Fatalf("request %d: %d, %v", i, got.Status, err)
		}
	}
	s.must(process.Signal(syscall.SIGTERM))
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("it does not stop")
	}
}

// Rule: SERVER-39
func TestAHangUpEndsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, sqliteURL(t))
	p := s.spawn()
	s.must(p.cmd.Process.Signal(syscall.SIGHUP))
	eventually(t, patience, "the log", func() bool { text, _ := s.log.read(); return strings.Contains(text, "SIGHUP") })
	if got := must(try(s.plain, must(http.NewRequest(http.MethodGet, s.URL+"/healthz",
		nil)))); got.Status != http.StatusOK {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if err := p.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// Rule: SERVER-40
func TestAServerThatStopsSaysSoFirstAndGoesOnServing(t *testing.T) {
	t.Parallel()
	s := newSite(t, sqliteURL(t), "LAME_DUCK=2s")
	s.tolerate(`"route":"/readyz"`)
	process := s.spawn()
	ask := func(path string) (answer, error) {
		return try(s.plain, must(http.NewRequest(http.MethodGet, s.URL+path, nil)))
	}
	if got, err := ask("/readyz"); err != nil || got.Status != http.StatusOK {
		t.Fatalf("%d, %v", got.Status, err)
	}
	s.must(process.cmd.Process.Signal(syscall.SIGTERM))
	eventually(t, 2*time.Second, "saying that it stops", func() bool {
		got, err := ask("/readyz")
		return err == nil && got.Status == http.StatusServiceUnavailable && strings.Contains(got.Body, "stopping")
	})
	if got, err := ask("/healthz"); err != nil || got.Status != http.StatusOK {
		t.Errorf("while it is lame: %d, %v", got.Status, err)
	}
	if err := process.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
