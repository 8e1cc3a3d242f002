package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a running provider in a directory of its own: Portico, or another.
type server struct {
	name     string
	url      string
	program  []string // with its arguments
	ready    string   // the path that answers 200 when it is
	paths    paths
	env      []string
	dir      string
	items    int       // in the folder that is listed
	database postgres  // that works for it
	pid      int       // of a server that runs already; 0: it is not known
	cmd      *exec.Cmd // nil: somebody else started it
	log      bytes.Buffer
}

// paths are where a provider answers.
type paths struct{ authorize, token, introspect, userInfo, keys string }

// newServer prepares a server by the binary with an empty database in dir.
func newServer(binary string, database database, dir string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	return &server{
		name: filepath.Base(binary), url: "http://" + address, program: []string{binary, "serve"}, ready: "/readyz",
		paths: paths{"/authentication/v2/authorize", "/authentication/v2/token", "/authentication/v2/introspect",
			"/userinfo", "/authentication/v2/keys"},
		database: database.server, dir: dir,
		env: append(slices.DeleteFunc(os.Environ(), isSetting),
			"PORTICO_LISTEN="+address, "PORTICO_BASE_URL=http://"+address, "PORTICO_DATA_DIR="+dir,
			"PORTICO_DATABASE_URL="+cmp.Or(database.url, "sqlite:"+filepath.Join(dir, "portico.db")),
			"PORTICO_RATE_LIMITS=off", "PORTICO_TRUSTED_PROXIES=127.0.0.1/32",
			"PORTICO_SECRET="+strings.Repeat("bench-secret-", 4)),
	}, nil
}

// freeAddress returns an address of this machine at which nobody listens.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// isSetting reports whether an environment variable is one of Portico's: a server has its own.
func isSetting(variable string) bool {
	return strings.HasPrefix(variable, "PORTICO_")
}

// start runs the server until it is ready, and returns how long that took.
func (s *server) start(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	s.cmd = exec.CommandContext(ctx, s.program[0], s.program[1:]...)
	s.cmd.Env, s.cmd.Stderr = s.env, &s.log
	if err := s.cmd.Start(); err != nil {
		return 0, err
	}
	for time.Since(began) < 30*time.Second {
		if response, err := http.Get(s.url + s.ready); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return time.Since(began), nil
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	return 0, fmt.Errorf("the server is not ready after 30 s: %s", s.lastWords())
}

// lastWords are the end of what the server has logged.
func (s *server) lastWords() string {
	const most = 2000
	said := s.log.String()
	return said[max(0, len(said)-most):]
}

// stop ends the server as an operator would.
func (s *server) stop() error {
	if s.cmd == nil {
		return nil
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// command runs a command of the same binary on the same database and returns
// the JSON object that it prints.
func (s *server) command(ctx context.Context, args ...string) (map[string]any, error) {
	return s.commandWith(ctx, "", args...)
}

// commandWith is command with something to read.
func (s *server) commandWith(ctx context.Context, input string, args ...string) (map[string]any, error) {
	cmd := exec.CommandContext(ctx, s.program[0], append(args, "--json")...)
	cmd.Env, cmd.Stdin = s.env, strings.NewReader(input)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("portico %s: %w: %s", strings.Join(args, " "), err, complaint.String())
	}
	var object map[string]any
	return object, json.Unmarshal(out, &object)
}

// cpu returns the processor time that the server and its database have used so far; none
// of a server whose process is not known.
func (s *server) cpu() (time.Duration, error) {
	pid := s.pid
	if s.cmd != nil {
		pid = s.cmd.Process.Pid
	}
	if pid == 0 {
		return 0, nil
	}
	own, err := processCPU(pid)
	behind, databaseErr := s.database.cpu()
	return own + behind, errors.Join(err, databaseErr)
}

// memory returns the resident memory in bytes.
func (s *server) memory() (int, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 2 {
		return 0, errors.New("unknown form of /proc/PID/statm")
	}
	pages, err := strconv.Atoi(fields[1])
	return pages * os.Getpagesize(), err
}
