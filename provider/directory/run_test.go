package directory_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/storage"
)

// runs walks through directories as a server does, until the test ends.
func runs(t *testing.T, rules *directory.Directories) {
	ctx, end := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { rules.Run(ctx) })
	t.Cleanup(func() { end(); work.Wait() })
}

// noted is the last walk that is kept.
func (w *world) noted(id string) (storage.DirectoryWalk, error) {
	found, err := w.Store.FindDirectories(w.Context(), []string{id})
	if len(found) == 0 {
		return storage.DirectoryWalk{}, err
	}
	return found[0].DirectoryWalk, err
}

// walked waits until a walk that began later than that has ended, and returns it.
func (w *world) walked(id string, later time.Time) storage.DirectoryWalk {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		said, err := w.noted(id)
		if err == nil && said.BeganAt.After(later) && !said.EndedAt.IsZero() {
			return said
		}
		if time.Now().After(deadline) {
			w.Errorf("nobody walks through %s: %+v, %v", id, said, err)
			return said
		}
	}
}

// second makes the slapd the directory second.
func (w *world) second(s *ldaptest.Slapd) {
	w.Helper()
	change := config(map[string]any{"hosts": []string{s.TLS}, "ca": s.CA, "join": "all"})
	_, err := w.Rules.Create(w.Context(), w.act(), "second", "openldap", change)
	w.must(err)
}

// The first directory answers when the walk through the second has come to its end, and
// its walk would fail after five seconds.
//
// Rule: LDAP-21
func TestADirectoryThatStallsHoldsUpNoOther(t *testing.T) {
	slapd := ldaptest.Start(t, persons("bob"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.gremlin(bound(func(id int64) [][]byte {
			if said := w.walked("second", time.Time{}); said.People != 1 {
				t.Errorf("the walk through the second says %+v", said)
			}
			return [][]byte{alice(id, ldaptest.PersonDN("alice")), ldaptest.Result(id, 5, 0, "")}
		}), map[string]any{"join": "all"})
		w.second(slapd)
		runs(t, w.Rules)
		w.must(w.Rules.WalkAll(t.Context()))
		if said := w.walked("works", time.Time{}); said.Outcome != storage.WalkDone || said.People != 1 {
			t.Errorf("the walk through the first says %+v", said)
		}
	})
}

// Rule: LDAP-21
func TestAWalkThatAnAdministratorWantsIsNotLostToTheOneUnderWay(t *testing.T) {
	for name, under := range map[string]func(w *world){
		"of this server":    func(w *world) { w.must(w.Rules.WalkSoon(w.Context(), "works", false)) },
		"of another server": func(w *world) { go w.walk(false) },
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, w *world) {
				came, goOn := make(chan struct{}, 8), make(chan struct{})
				w.gremlin(bound(func(id int64) [][]byte {
					came <- struct{}{}
					<-goOn
					return [][]byte{alice(id, ldaptest.PersonDN("alice")), ldaptest.Result(id, 5, 0, "")}
				}), map[string]any{"join": "all"})
				runs(t, w.Rules)
				under(w)
				<-came
				w.must(w.Rules.WalkAll(t.Context())) // nobody's wish
				w.must(w.Rules.WalkSoon(t.Context(), "works", true))
				wanted := w.ambient.Now()
				goOn <- struct{}{}
				goOn <- struct{}{}
				if said := w.walked("works", wanted); said.Outcome != storage.WalkDone || said.People != 1 {
					t.Errorf("the walk says %+v", said)
				}
				select {
				case <-came: // the second one's
				default:
					t.Error("it was asked once")
				}
				// What nobody wished may come to its turn only now that the other server is done.
				if name == "of this server" && len(came) > 0 {
					t.Error("a third walk began")
				}
			})
		})
	}
}
