// Package clamtest gives tests a real clamd, Debian's, that ends with the test.
// It knows one signature, that of the harmless text by which scanners are tried
// out, and so needs no virus definitions, little memory and a second to start.
//
// No program but a test may import it. With -short its tests are skipped, for
// the quick loop; otherwise a missing clamd fails them.
package clamtest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Finding is how clamd calls Text. Signatures that are not its makers' get the
// ending.
const Finding = "Test-Signature.UNOFFICIAL"

// MaxStream is the largest stream that the clamd takes, in bytes.
const MaxStream = 1 << 20

// patience is how long clamd may take to start.
const patience = time.Minute

// Text is EICAR's text for trying out virus scanners, put together here so that
// none of them minds this file.
func Text() []byte {
	return []byte(strings.Join([]string{`X5O!P%@AP[4\PZX54(P^)7CC)7}$`, `EICAR`, `-STANDARD-ANTIVIRUS-`,
		`TEST-FILE!$H+H*`}, ""))
}

// Start starts a clamd and returns the path of its socket.
func Start(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs clamd, which -short leaves out")
	}
	program, err := find()
	if err != nil {
		t.Fatal(err)
	}
	// Paths of sockets must be short.
	dir, err := os.MkdirTemp("", "clam")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "socket")
	write(t, filepath.Join(dir, "test.ndb"), "Test-Signature:0:*:"+hex.EncodeToString(Text())+"\n")
	write(t, filepath.Join(dir, "clamd.conf"), fmt.Sprintf(
		"Foreground yes\nDatabaseDirectory %s\nTemporaryDirectory %s\nLocalSocket %s\nStreamMaxLength %d\n", dir,
		dir, socket, MaxStream))
	run(t, exec.Command(program, "--config-file", filepath.Join(dir, "clamd.conf")), socket)
	return socket
}

func find() (string, error) {
	for _, name := range []string{"clamd", "/usr/sbin/clamd"} {
		if program, err := exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", fmt.Errorf("clamtest: there is no clamd: install clamav-daemon; go test -short leaves out what needs it")
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run starts the program and waits until it answers.
func run(t testing.TB, command *exec.Cmd, socket string) {
	t.Helper()
	var words bytes.Buffer
	command.Stdout, command.Stderr = &words, &words
	endWithTest(command)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		if err := <-ended; err == nil {
			t.Logf("clamd ended by itself:\n%s", &words)
		}
	})
	limit := time.After(patience)
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		if connection, err := net.Dial("unix", socket); err == nil {
			connection.Close()
			tick.Stop()
			return
		}
		select {
		case <-tick.C:
		case err := <-ended:
			ended <- err
			t.Fatalf("clamd ended with %v:\n%s", err, &words)
		case <-limit:
			t.Fatal("clamd does not answer")
		}
	}
}
