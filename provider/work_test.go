package provider_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

// Who has an account here is told neither by the page nor by the work behind it: each try
// hashes once, whoever it is about, and leaves one line in the trail.
//
// Rule: SIGNIN-6
func TestARefusedSignInTakesTheSameWorkWhoeverIsNamed(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, costly: true})
		w.person(somebody)
		w.guarded("guarded@example.test")
		disabled := w.person("disabled@example.test")
		w.must(w.Store.SetUserDisabled(t.Context(), w.act(), disabled.ID, true))
		_, err := w.People.Create(t.Context(), w.act(), people.Newcomer{Email: "none@example.test", Name: "No Password"})
		w.must(err)
		const hash = 19 << 20 // what one takes of memory
		for _, name := range []string{somebody, "guarded@example.test", "disabled@example.test", "none@example.test",
			"nobody@example.test", "nobody", strings.ToUpper(somebody)} {
			b := w.browser()
			page, failures := b.get(w.URL+"/login"), w.failures()
			took := allocated(func() {
				b.submit(page, "login-form", form("username", name, "password", "wrong horse battery"))
			})
			if took < hash || took > 2*hash {
				t.Errorf("%s: %d bytes of memory, one hash takes %d", name, took, hash)
			}
			if now := w.failures(); now != failures+1 {
				t.Errorf("%s: %d lines in the trail", name, now-failures)
			}
		}
		b := w.browser()
		page := b.get(w.URL + "/login")
		took := allocated(func() { b.submit(page, "login-form", form("username", somebody, "password", goodPassword)) })
		if !b.isSignedIn() || took < hash || took > 2*hash {
			t.Errorf("the right password: signed in %v, %d bytes", b.isSignedIn(), took)
		}
	})
}

func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// failures is how many tries to sign in the trail tells of.
func (w *world) failures() int {
	w.Helper()
	events, _, err := w.Store.ListAudit(w.Context(), storage.AuditFilter{Kind: "user.sign_in_failed"},
		storage.PageRequest{Limit: 100})
	w.must(err)
	return len(events)
}
