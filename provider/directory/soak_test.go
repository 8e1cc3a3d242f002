package directory_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/storage"
)

// crowd is so many people in so many groups, each person in five.
func crowd(people, groups int) string {
	var text strings.Builder
	members := make([][]string, groups)
	for i := range people {
		uid := "person" + strconv.Itoa(i)
		text.WriteString(ldaptest.PersonLDIF(uid, secret))
		for j := range 5 {
			g := (i*7 + j*13) % groups
			members[g] = append(members[g], ldaptest.PersonDN(uid))
		}
	}
	for g, dns := range members {
		text.WriteString(ldaptest.GroupLDIF("group"+strconv.Itoa(g), slices.Compact(dns)...))
	}
	return text.String()
}

// processor is how much of it this process has used.
func processor() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// heap watches how much lives until the returned function is called.
func heap() func() uint64 {
	most, done := uint64(0), make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	return func() uint64 { close(done); work.Wait(); return most }
}

// Rule: LDAP-18
func TestACrowdArrivesByADirectory(t *testing.T) {
	people, groups := 520, 20 // more than a page
	if os.Getenv("PORTICO_SOAK_DIRECTORY") != "" {
		people, groups = 10_000, 500
	}
	slapd := ldaptest.Start(t, crowd(people, groups))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, map[string]any{"join": "all", "groups_come": true})
		for i, changed := range []int{people + groups, 0} {
			runtime.GC()
			most, began, used := heap(), time.Now(), processor()
			said := w.walk(false)
			took, share := time.Since(began), processor()-used
			t.Logf("walk %d: %d people and %d groups in %v, %.2f of a processor, %d MB of heap at most", i+1, said.People,
				said.Groups, took.Round(time.Millisecond), share.Seconds()/took.Seconds(), most()>>20)
			if said.Outcome != storage.WalkDone || said.People != people || said.Groups != groups || said.Changed != changed {
				t.Fatalf("walk %d says %+v", i+1, said)
			}
		}
		all, err := w.Store.ListUsers(t.Context(), storage.UserFilter{}, storage.PageRequest{})
		w.must(err)
		one := w.user(fmt.Sprintf("person%d@works.test", people-1))
		if all.Total != people || len(w.groupsOf(one.ID)) != 5 || !w.in("person7", secret) {
			t.Errorf("%d people, the last in %v", all.Total, w.groupsOf(one.ID))
		}
	})
}
