// Package redistest runs a real Redis for tests, on a socket in a directory of its own.
package redistest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Server is a Redis that may be stopped, and started again empty.
type Server struct {
	testing.TB
	dir     string
	process *exec.Cmd
}

// Start runs one until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: needs redis-server")
	}
	dir, err := os.MkdirTemp("", "redis") // t.TempDir may be too long for the name of a socket
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{TB: t, dir: dir}
	t.Cleanup(func() {
		s.Stop()
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s.Go()
	return s
}

// URL is where it listens.
func (s *Server) URL() string { return "unix://" + s.socket() }

func (s *Server) socket() string { return filepath.Join(s.dir, "socket") }

// Go starts it, and waits until it answers.
func (s *Server) Go() {
	s.Helper()
	s.process = exec.Command("redis-server", "--port", "0", "--unixsocket", s.socket(), "--save", "", "--dir", s.dir)
	if err := s.process.Start(); err != nil {
		s.Fatalf("redis-server can't be started (install the Debian package redis-server): %v", err)
	}
	for deadline := time.After(10 * time.Second); ; {
		conn, err := net.Dial("unix", s.socket())
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-deadline:
			s.Fatalf("redis-server does not come up: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Stop kills it.
func (s *Server) Stop() {
	s.Helper()
	if s.process == nil {
		return
	}
	if err := s.process.Process.Kill(); err != nil {
		s.Error(err)
	}
	_ = s.process.Wait() // it was killed
	s.process = nil
	if err := os.Remove(s.socket()); err != nil && !os.IsNotExist(err) {
		s.Error(err)
	}
}
