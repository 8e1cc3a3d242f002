package e2e

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// process is a server in a process of its own.
type process struct {
	*site
	cmd   *exec.Cmd
	tie   io.Closer // the process ends when this closes
	ended chan error
}

// portico prepares a process with the site's settings and no other environment:
// this binary being portico, or another.
func (s *site) portico(args ...string) *exec.Cmd {
	s.Helper()
	binary := s.binary
	if binary == "" {
		var err error
		binary, err = os.Executable()
		s.must(err)
	}
	cmd := exec.Command(binary, args...)
	cmd.Env = append([]string{asPortico + "=1", "PATH=" + os.Getenv("PATH"), "GORACE=" + os.Getenv("GORACE")},
		s.environ...)
	return cmd
}

// spawn starts a server for the site and waits until it is ready. A second one
// keeps the site's URL, wherever it listens.
func (s *site) spawn(flags ...string) *process {
	s.Helper()
	s.givesKeys()
	cmd := s.portico(append([]string{"serve"}, flags...)...)
	if s.URL != "" {
		cmd.Env = append(cmd.Env, "PORTICO_BASE_URL="+s.URL)
	}
	tie, err := cmd.StdinPipe()
	s.must(err)
	cmd.Stderr = s.log
	p := &process{site: s, cmd: cmd, tie: tie, ended: make(chan error, 1)}
	before := len(s.log.readyLines())
	s.must(cmd.Start())
	s.pid.Store(cmd.Process.Pid)
	go func() { p.ended <- cmd.Wait() }()
	s.Cleanup(p.kill)
	ready := p.awaitReady(before)
	if s.URL == "" {
		s.URL = ready.URL
	}
	s.address.Store(ready.Address)
	return p
}

// readyLines returns the lines with which servers said that they are ready.
func (l *logBook) readyLines() []logLine {
	var ready []logLine
	lines, _ := l.lines()
	for _, line := range lines {
		if line.Msg == "ready" {
			ready = append(ready, line)
		}
	}
	return ready
}

func (p *process) awaitReady(before int) logLine {
	p.Helper()
	give := time.After(patience)
	for {
		_, more := p.log.read()
		if ready := p.log.readyLines(); len(ready) > before {
			return ready[before]
		}
		select {
		case <-more:
		case err := <-p.ended:
			p.ended <- err
			p.Fatalf("the server ended with %v", err)
		case <-give:
			p.Fatal("the server does not get ready")
		}
	}
}

// kill ends the process without a chance to tidy up. It may be called again.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	p.ended <- <-p.ended
	p.tie.Close()
}

// stop asks the process to end and returns how it did.
func (p *process) stop() error {
	p.Helper()
	p.must(p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-p.ended:
		p.ended <- err
		return err
	case <-time.After(patience):
		p.Fatal("the server does not stop")
		return nil
	}
}
