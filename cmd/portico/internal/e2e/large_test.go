package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// soakMegabytesVariable sets how large the large file is; make soak-bytes sets
// it to the full size.
const soakMegabytesVariable = "PORTICO_SOAK_MEGABYTES"

const (
	quickMegabytes = 200

	// flatMemory is what a server may have in memory while bytes go through it.
	flatMemory = 100_000_000
)

// soakSize is the size of the large file in bytes, for which there must be room
// several times over.
func soakSize(t *testing.T, dir string) int64 {
	t.Helper()
	megabytes := quickMegabytes
	if text := os.Getenv(soakMegabytesVariable); text != "" {
		var err error
		if megabytes, err = strconv.Atoi(text); err != nil || megabytes < quickMegabytes {
			t.Fatalf("%s=%s: expected a number from %d", soakMegabytesVariable, text, quickMegabytes)
		}
	}
	size := int64(megabytes) * 1_000_000
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		t.Fatal(err)
	}
	if free := int64(disk.Bavail) * disk.Bsize; free < 4*size {
		t.Fatalf("the large upload needs %d MB free in %s, and there are %d: set TMPDIR to another disk, or %s to a smaller number",
			4*size/1_000_000, dir, free/1_000_000, soakMegabytesVariable)
	}
	return size
}

// Rule: OBJ-49
func TestALargeUploadOutlivesThreeKillsInLittleMemory(t *testing.T) {
	database := sqliteURL(t)
	r, s := newRelay(t, database)
	s.build()
	p := porterOf(t, r, s, database)
	size := soakSize(t, p.dir)
	p.largeFile("large.bin", size)
	sum := p.sum("large.bin")
	memory := p.watchMemory()
	var made moved
	loud := p.others(func() { made = p.uploadUnderKills("large.bin", size, 3) })
	if made.SHA256 != sum || made.Size != size {
		t.Errorf("uploaded %+v, %d bytes with %s", made, size, sum)
	}
	began := time.Now()
	p.run("download", made.Version, "--out", "back.bin")
	t.Logf("download of %d MB: %v; p99 of other requests under kills: %v", size/1_000_000, time.Since(began), p99(loud))
	if p.sum("back.bin") != sum {
		t.Error("what came back is something else")
	}
	p.must(os.Remove(filepath.Join(p.dir, "back.bin")))
	if os.Getenv(soakMegabytesVariable) != "" {
		p.measure("large.bin")
	}
	most := memory()
	if t.Logf("at most %d MB in memory", most/1_000_000); most > flatMemory || most == 0 {
		t.Errorf("the server had %d bytes in memory", most)
	}
}

// measure compares an upload that nothing disturbs with what every machine has,
// and other requests beside it with those on a quiet server.
func (p *porter) measure(name string) {
	p.Helper()
	yardstick := p.yardstick(name)
	quiet := p.others(func() { time.Sleep(5 * time.Second) })
	began := time.Now()
	beside := p.others(func() { p.run("upload", name, "--folder", folderURN(p.files)) })
	upload := time.Since(began)
	p.Logf("cp, sha256sum and sync: %v; upload: %v, %.0f %%", yardstick, upload, 100*yardstick.Seconds()/upload.Seconds())
	p.Logf("p99 of other requests: quiet %v, beside an upload %v", p99(quiet), p99(beside))
}

// largeFile makes a file of bytes that look random.
func (p *porter) largeFile(name string, size int64) {
	p.Helper()
	file, err := os.Create(filepath.Join(p.dir, name))
	p.must(err)
	_, err = io.CopyBuffer(struct{ io.Writer }{file}, io.LimitReader(rand.NewChaCha8([32]byte{7}), size),
		make([]byte, mebibyte))
	p.must(err)
	p.must(file.Sync())
	p.must(file.Close())
}

// yardstick is how long it takes to copy the file, hash it and write it to the
// disk with what every machine has.
func (p *porter) yardstick(name string) time.Duration {
	p.Helper()
	began := time.Now()
	for _, args := range [][]string{{"cp", name, "copy.bin"}, {"sha256sum", "copy.bin"}, {"sync", "copy.bin"}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = p.dir
		p.must(cmd.Run())
	}
	took := time.Since(began)
	p.must(os.Remove(filepath.Join(p.dir, "copy.bin")))
	return took
}

// uploadUnderKills uploads the file, and kills the server so many times on the
// way, spread evenly over the bytes.
func (p *porter) uploadUnderKills(name string, size int64, kills int) moved {
	p.Helper()
	cmd, out, complaints := p.errand("upload", name, "--folder", folderURN(p.files))
	behind(cmd)
	p.relay.up.pass()
	p.must(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for killed := 0; ; {
		select {
		case err := <-ended:
			if err != nil || killed < kills {
				p.Fatalf("%v after %d kills: %s", err, killed, complaints)
			}
			var made moved
			p.must(json.Unmarshal(out.Bytes(), &made))
			return made
		case <-tick.C:
		}
		if killed < kills && p.relay.up.passed.Load() > size*int64(killed+1)/int64(kills+1) {
			killed++
			p.mortal.process.kill()
			p.mortal.process = p.spawn()
		}
	}
}

// behind lets the server have the processor first: clients have their own.
func behind(cmd *exec.Cmd) {
	nice, err := exec.LookPath("nice")
	if err != nil {
		return
	}
	cmd.Args = append([]string{nice, "-n", "10", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = nice
}

// watchMemory watches the present server until the function that it returns is
// called, which returns the most that any had in memory, in bytes.
func (p *porter) watchMemory() (most func() int64) {
	stop, top := make(chan struct{}), make(chan int64)
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		highest := int64(0)
		for {
			select {
			case <-stop:
				top <- highest
				return
			case <-tick.C:
				highest = max(highest, residentPeak(p.site))
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-top
	}
}

// residentPeak is the most that the site's server has had in memory so far; 0
// when there is none.
func residentPeak(s *site) int64 {
	pid, _ := s.pid.Load().(int)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	_, _ = fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10
}

// others makes small requests while the work goes on, and returns how long each
// took; what a killed server did not answer does not count.
func (p *porter) others(work func()) []time.Duration {
	p.Helper()
	stop := make(chan struct{})
	var asking sync.WaitGroup
	var took []time.Duration
	asking.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			r := p.post(tokenPath, p.app, form("grant_type", "client_credentials", "scope", "data:read"))
			if i%2 == 0 {
				r, _ = http.NewRequest(http.MethodGet, p.URL+p.at("folders", folderURN(p.files)), nil)
				r.Header.Set("Authorization", "Bearer "+p.token)
			}
			began := time.Now()
			if got, err := try(p.plain, r); err == nil && got.Status == http.StatusOK {
				took = append(took, time.Since(began))
			}
		}
	})
	work()
	close(stop)
	asking.Wait()
	return took
}

func p99(took []time.Duration) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[len(took)*99/100].Round(10 * time.Microsecond)
}
