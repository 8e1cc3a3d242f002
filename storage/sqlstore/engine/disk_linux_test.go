package engine

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	soakDisk    = "PORTICO_SOAK_DISK"
	diskProgram = "PORTICO_SOAK_DISK_URL" // the test is a server on this database
)

// A disk that fails for a while is one of memory that others have filled: blocks that were
// never written to can't be then. What it has at the end is what a power cut leaves.
//
// Rules: SERVER-70, SERVER-72
func TestNothingThatWasCalledKeptIsLostByADiskThatFailedForAWhile(t *testing.T) {
	if url := os.Getenv(diskProgram); url != "" {
		serveLines(t, url)
		return
	}
	if os.Getenv(soakDisk) == "" {
		t.Skip("it mounts file systems, as root: make soak-disk")
	}
	for _, when := range []string{"nobody reads", "somebody reads before", "somebody reads meanwhile"} {
		for _, then := range []string{"the server goes on", "the server is killed", "the server is stopped"} {
			t.Run(when+", "+then, func(t *testing.T) {
				d := newFailingDisk(t)
				server, acknowledged := d.start(), 0
				server.ask("write 1200")
				if when == "somebody reads before" {
					server.ask("read")
				}
				d.fail()
				if when == "somebody reads meanwhile" {
					server.ask("read")
				}
				acknowledged = server.ask("write 400")
				d.works()
				if then == "the server goes on" {
					server.ask("leave")
				} else {
					server.end(then == "the server is stopped")
					server = d.start()
				}
				acknowledged += 1200 + server.ask("write 800")
				d.cutPower()
				server.end(false)
				if kept := d.start().ask("count"); kept < acknowledged {
					t.Errorf("of %d rows that were called kept there are %d", acknowledged, kept)
				} else {
					t.Logf("%d rows were called kept, %d are there", acknowledged, kept)
				}
			})
		}
	}
}

// serveLines does what the lines that come say, and answers each with a number.
func serveLines(t *testing.T, url string) {
	db, err := Open(t.Context(), Options{URL: url, Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = db.WriteOne(t.Context(), `CREATE TABLE filled (page text)`, Args{}) // it may be there
	page := Args{"page": strings.Repeat("x", 3000)}
	var reading *Reading
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var n, done int
		switch word, _, _ := strings.Cut(lines.Text(), " "); word {
		case "write":
			_, _ = fmt.Sscanf(lines.Text(), "write %d", &n)
			for range n {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				if _, err := db.WriteOne(ctx, filler, page); err == nil {
					done++
				}
				cancel()
			}
		case "read":
			reading, err = db.BeginReading(t.Context())
			if err == nil {
				err = reading.tx.Get(t.Context(), &done, `SELECT count(*) FROM filled`, Args{})
			}
			if err != nil {
				t.Fatal(err)
			}
		case "leave":
			if reading != nil {
				reading.Done()
			}
		case "count":
			var sound string
			if err := db.Get(t.Context(), &sound, `PRAGMA integrity_check`, Args{}); err != nil || sound != "ok" {
				t.Fatal(sound, err)
			}
			if err := db.Get(t.Context(), &done, `SELECT count(*) FROM filled`, Args{}); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Println("done", done)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// failingDisk is a file system on a file in memory.
type failingDisk struct {
	t             *testing.T
	memory, image string
	place         string // where it is mounted
}

func newFailingDisk(t *testing.T) *failingDisk {
	t.Helper()
	d := &failingDisk{t: t, memory: t.TempDir(), place: t.TempDir()}
	d.run("mount", "-t", "tmpfs", "-o", "size=140M", "tmpfs", d.memory)
	t.Cleanup(func() { d.run("umount", "-l", d.memory) })
	d.image = filepath.Join(d.memory, "image")
	d.run("fallocate", "-l", "128M", d.image)
	d.run("mkfs.ext4", "-q", "-b", "4096", "-E", "lazy_itable_init=0,nodiscard", "-J", "size=4", d.image)
	d.mount()
	return d
}

func (d *failingDisk) mount() {
	d.run("mount", "-o", "loop,nodiscard", d.image, d.place)
	place := d.place
	d.t.Cleanup(func() { d.run("umount", place) })
}

func (d *failingDisk) run(name string, args ...string) string {
	d.t.Helper()
	said, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("%s %v: %v: %s", name, args, err, said)
	}
	return string(said)
}

// fail takes what the disk has not written to yet.
func (d *failingDisk) fail() {
	d.t.Helper()
	for range 2 { // the log of the file system, too
		unix.Sync()
		time.Sleep(6 * time.Second)
	}
	for line := range strings.Lines(d.run("dumpe2fs", d.image)) {
		free, is := strings.CutPrefix(strings.TrimSpace(line), "Free blocks: ")
		for _, blocks := range strings.Split(free, ", ") {
			var first, last int64
			n, _ := fmt.Sscanf(blocks, "%d-%d", &first, &last)
			if !is || n == 0 || first > 100_000 { // the number of them stands in the head
				continue
			}
			d.run("fallocate", "-p", "-o", fmt.Sprint(first*4096), "-l", fmt.Sprint((max(first, last)-first+1)*4096), d.image)
		}
	}
	fill, err := os.Create(filepath.Join(d.memory, "fill"))
	if err != nil {
		d.t.Fatal(err)
	}
	defer fill.Close()
	if n, err := io.Copy(fill, io.LimitReader(zeros{}, 1<<30)); err == nil {
		d.t.Fatalf("there is room for %d bytes", n)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func (d *failingDisk) works() {
	if err := os.Remove(filepath.Join(d.memory, "fill")); err != nil {
		d.t.Fatal(err)
	}
}

// cutPower goes on with what is on the disk at this moment.
func (d *failingDisk) cutPower() {
	d.t.Helper()
	cut := filepath.Join(d.t.TempDir(), "cut")
	d.run("cp", d.image, cut)
	d.image, d.place = cut, d.t.TempDir()
	d.mount()
}

// lineServer is a process that does what it is told.
type lineServer struct {
	t     *testing.T
	run   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

func (d *failingDisk) start() *lineServer {
	d.t.Helper()
	s := &lineServer{t: d.t, run: exec.Command(os.Args[0], "-test.run", "^TestNothingThatWasCalledKeptIsLost")}
	s.run.Env = append(os.Environ(), diskProgram+"=sqlite:"+filepath.Join(d.place, "portico.db"))
	in, err := s.run.StdinPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := s.run.StdoutPipe()
	if err == nil {
		err = s.run.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	s.in, s.lines = in, bufio.NewScanner(out)
	d.t.Cleanup(func() { s.end(false) })
	return s
}

// ask returns the number of the answer.
func (s *lineServer) ask(line string) int {
	s.t.Helper()
	_, _ = io.WriteString(s.in, line+"\n")
	for said := ""; s.lines.Scan(); said += s.lines.Text() + "\n" {
		var n int
		if found, _ := fmt.Sscanf(s.lines.Text(), "done %d", &n); found == 1 {
			return n
		}
		if strings.Contains(s.lines.Text(), "FAIL") {
			s.t.Fatalf("%s: %s", line, said)
		}
	}
	s.t.Fatalf("%s: it said nothing", line)
	return 0
}

func (s *lineServer) end(stopped bool) {
	if stopped {
		_ = s.in.Close()
	} else {
		_ = s.run.Process.Kill()
	}
	_ = s.run.Wait()
}
