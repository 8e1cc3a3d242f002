package e2e

import (
	"net"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// runBeside starts a program that others wrote, waits until it listens on the
// port, and ends it, and what it started, with the test.
func runBeside(t *testing.T, cmd *exec.Cmd, port string) {
	t.Helper()
	log, ended := newLogBook(), make(chan struct{})
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // why it ended is in its log
		close(ended)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience / 6):
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
		if text, _ := log.read(); t.Failed() {
			t.Logf("%s said:\n%s", cmd.Path, text[max(0, len(text)-20000):])
		}
	})
	awaitPort(t, port, ended)
}

func awaitPort(t *testing.T, port string, ended <-chan struct{}) {
	t.Helper()
	retry, give := time.NewTicker(20*time.Millisecond), time.After(5*patience)
	defer retry.Stop()
	for {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-retry.C:
		case <-ended:
			t.Fatal("the program ended")
		case <-give:
			t.Fatal("the program does not listen")
		}
	}
}
