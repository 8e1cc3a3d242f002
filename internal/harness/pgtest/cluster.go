package pgtest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// cluster is a server of our own: a folder with its data, socket and log, and
// the process.
type cluster struct {
	folder  string
	process *os.Process
	exited  chan struct{} // closed when the process is gone
}

// kind is how a cluster is set up.
type kind struct {
	folder   string // the folder is made in it
	settings []string
}

// fleeting is for tests: nothing in it needs to survive, so nothing is flushed
// to disk.
func fleeting() kind {
	return kind{folder: cmp.Or(memoryFolder(), diskFolder()), settings: []string{
		"max_connections=300", "shared_buffers=64MB",
		"fsync=off", "synchronous_commit=off", "full_page_writes=off",
		"wal_level=minimal", "max_wal_senders=0", "autovacuum=off",
	}}
}

// durable is for measuring: on disk and flushed, with the memory that a
// server's administrator would give it.
func durable() kind {
	return kind{folder: diskFolder(), settings: []string{
		"max_connections=100", "shared_buffers=2GB", "effective_cache_size=8GB", "maintenance_work_mem=512MB",
		"max_wal_size=8GB", "checkpoint_timeout=15min",
	}}
}

// startCluster makes a folder with an empty cluster and starts its server,
// without waiting until it answers.
func startCluster(k kind) (*cluster, error) {
	removeLeftovers(k.folder)
	folder, err := os.MkdirTemp(k.folder, folderPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, err
	}
	c := &cluster{folder: folder, exited: make(chan struct{})}
	if err := c.launch(k.settings); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return c, nil
}

func (c *cluster) launch(settings []string) error {
	account, err := serverAccount()
	if err != nil {
		return err
	}
	if err := account.own(c.folder); err != nil {
		return err
	}
	err = c.work(account, "initdb", "--pgdata="+c.data(), "--username="+superuser, "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync")
	if err != nil {
		return err
	}
	return c.serve(account, settings)
}

// work runs one of PostgreSQL's programs to its end.
func (c *cluster) work(account account, name string, args ...string) error {
	cmd, err := c.command(account, name, args...)
	if err != nil {
		return err
	}
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, output)
	}
	return nil
}

// serve starts the server on what is in the folder.
func (c *cluster) serve(account account, settings []string) error {
	args := []string{"-D", c.data(), "-k", c.folder, "-h", ""}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	postgres, err := c.command(account, "postgres", args...)
	if err != nil {
		return err
	}
	return c.spawn(postgres)
}

// spawn starts the server and stays on the thread that did: the kernel ends the
// server together with it, so that not even a killed test leaves one behind.
func (c *cluster) spawn(cmd *exec.Cmd) error {
	log, err := os.Create(c.log())
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = log, log
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer log.Close()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in its log
			close(c.exited)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	c.process = cmd.Process
	return nil
}

// command prepares one of PostgreSQL's programs.
func (c *cluster) command(account account, name string, args ...string) (*exec.Cmd, error) {
	path, err := program(name)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = c.folder // the account may not be allowed into ours
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = account.attributes()
	return cmd, nil
}

func (c *cluster) data() string { return filepath.Join(c.folder, "data") }
func (c *cluster) log() string  { return filepath.Join(c.folder, "log") }

// ended returns a channel that closes when the server is gone; that of a server
// which is not ours never does.
func (c *cluster) ended() <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.exited
}

// lastWords returns the end of the server's log.
func (c *cluster) lastWords() string {
	text, err := os.ReadFile(c.log())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// stop takes the server down at once and removes its folder.
func (c *cluster) stop() error {
	if c == nil {
		return nil
	}
	signalErr := c.process.Signal(syscall.SIGQUIT)
	if errors.Is(signalErr, os.ErrProcessDone) {
		signalErr = nil
	}
	<-c.exited
	return errors.Join(signalErr, os.RemoveAll(c.folder))
}

// program finds one of PostgreSQL's programs: in PATH, or where Debian keeps
// the versions side by side, the newest first.
func program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	local, _ := filepath.Glob("/usr/local/*/bin/" + name)
	newest, newestVersion := "", -1
	for _, path := range append(local, found...) {
		version, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		if version > newestVersion {
			newest, newestVersion = path, version
		}
	}
	if newest == "" {
		return "", fmt.Errorf("%w (no %s found)", errNotInstalled, name)
	}
	return newest, nil
}

// diskFolder returns the folder for temporary files, or a shorter one where
// that is too long.
func diskFolder() string {
	if folder := os.TempDir(); len(folder) <= longestPath {
		return folder
	}
	return "/tmp"
}

// removeLeftovers removes the folders of processes that were killed.
func removeLeftovers(in string) {
	folders, _ := filepath.Glob(filepath.Join(in, folderPrefix+"*"))
	for _, folder := range folders {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), folderPrefix), "-")
		pid, err := strconv.Atoi(owner)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(folder) // whoever fails to leaves it to the next
		}
	}
}
