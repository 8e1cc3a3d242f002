package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

// soakMemory sets how many sign in and how many upload at once under a limit of
// memory; make soak-memory sets it to the full size.
const soakMemory = "PORTICO_SOAK_MEMORY"

// littleMemory is what the server is told that it has, and most what it may take.
const (
	littleMemory = "120MiB"
	mostMemory   = 150 << 20
	quickCrowd   = 40
)

// peak watches a process until what it returns is called, which returns the most
// memory that it had of its own, in bytes: the system takes pages of its binary
// back when there is need.
func peak(pid int) (most func() int) {
	own := regexp.MustCompile(`RssAnon:\s+(\d+) kB`)
	stop, top := make(chan struct{}), make(chan int)
	go func() {
		highest := 0
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-stop:
				top <- highest
				return
			case <-tick.C:
				status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
				if found := own.FindSubmatch(status); found != nil {
					highest = max(highest, must(strconv.Atoi(string(found[1])))<<10)
				}
			}
		}
	}()
	return func() int { close(stop); return <-top }
}

// soakFlat sets for how many seconds the memory of a server that is used is watched.
const soakFlat = "PORTICO_SOAK_FLAT"

// Rule: SERVER-37
func TestMemoryStaysFlatUnderMixedLoad(t *testing.T) {
	text := os.Getenv(soakFlat)
	if text == "" {
		t.Skip("takes its time: make soak-flat")
	}
	third := time.Duration(must(strconv.Atoi(text))) * time.Second / 3
	s := newSite(t, pgtest.URL(t))
	s.spawn()
	p := newProbes(s)
	use := func() int {
		watched := peak(s.pid.Load().(int))
		for began := time.Now(); time.Since(began) < third; {
			if !p.crowd() {
				t.Fatal("not everything is answered")
			}
		}
		return watched()
	}
	warm, second, last := use(), use(), use()
	if t.Logf("%d MB at most in the first third, %d in the second, %d in the last", warm>>20, second>>20,
		last>>20); last > second*11/10 {
		t.Error("it grows")
	}
}

// Rule: SERVER-37
func TestACrowdFitsIntoLittleMemory(t *testing.T) {
	crowd := quickCrowd
	if text := os.Getenv(soakMemory); text != "" {
		crowd = must(strconv.Atoi(text))
	}
	database := sqliteURL(t)
	s := newSite(t, database, "REQUEST_LIMIT=1m") // it is about memory, not about how long that takes
	s.build()
	s.environ = append(s.environ, "GOMEMLIMIT="+littleMemory)
	q := &quay{yard: yardOf(t, s, database)}
	const hands = 4 // of one person: of many tries that are under way an account sees but a few
	people := make([]string, crowd/hands+1)
	for i := range people {
		people[i] = fmt.Sprintf("person-%d@example.test", i)
		s.person(people[i])
	}
	p := &probes{site: s}
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	watched := peak(s.pid.Load().(int))
	var all sync.WaitGroup
	for i := range crowd {
		place := q.reserve("file.bin")
		all.Go(func() { q.put(place, "1", body) })
		all.Go(func() {
			got, err := try(s.plain, p.signInAs(people[i/hands], password))
			if err != nil || !slices.Contains([]int{http.StatusSeeOther, http.StatusTooManyRequests,
				http.StatusServiceUnavailable}, got.Status) {
				t.Errorf("signing in: %d %v", got.Status, err)
			}
		})
	}
	all.Wait()
	most := watched()
	if t.Logf("%d uploads and %d sign-ins at once took %d MB at most", crowd, crowd, most>>20); most > mostMemory {
		t.Errorf("that is more than %d MB", mostMemory>>20)
	}
}
