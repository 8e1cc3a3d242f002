package e2e

import (
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// Rule: SERVER-40
func TestAnUploadUnderWayEndsWellThoughTheServerIsToldToStop(t *testing.T) {
	t.Parallel()
	s := newSite(t, sqliteURL(t), "LAME_DUCK=0s", "DRAIN_TIME=30s", "REQUEST_LIMIT=1s")
	server := s.spawn()
	d := newDock(s, "person@example.test")
	body, out := io.Pipe()
	r := must(http.NewRequest(http.MethodPut, d.put, body))
	r.ContentLength = 12 * 1000
	ended := make(chan answer, 1)
	go func() {
		got, err := try(&http.Client{Transport: s.transport()}, r)
		if err != nil {
			t.Errorf("the upload: %v", err)
		}
		ended <- got
	}()
	for i := range 12 { // for three seconds, far longer than a request may wait
		if i == 3 {
			s.must(server.cmd.Process.Signal(syscall.SIGTERM))
		}
		if _, err := out.Write(make([]byte, 1000)); err != nil {
			t.Fatalf("it is cut after %d kB: %v", i, err)
		}
		time.Sleep(250 * time.Millisecond)
	}
	out.Close()
	if got := <-ended; got.Status != http.StatusOK {
		t.Errorf("the upload: %d %s", got.Status, got.Body)
	}
	select {
	case err := <-server.ended:
		if server.ended <- err; err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("it does not end")
	}
}
