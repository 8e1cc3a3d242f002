package provider_test

import (
	"net/http"
	"testing"

	"github.com/portico-id/portico/storage"
)

// A company sends somebody by SCIM, and they sign in by its provider.
//
// Rules: FED-9, SCIM-4
func TestWhoIsSentByACompanySignsInByItsProvider(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.liar("works", "join", "off", "link", "verified")
		if b := w.browser(); b.visitUpstream("works").Status == 0 || b.isSignedIn() {
			t.Fatal("who was not sent is in")
		}
		now := w.ambient.Now()
		company := storage.SCIMConnection{ID: "company", Name: "Company", Domains: []string{"works.test"}, CreatedAt: now}
		w.must(w.Store.CreateSCIMConnection(t.Context(), w.act(), company))
		sent, err := w.Store.CreateSCIMUser(t.Context(), w.act(), storage.SCIMUser{UserName: "one", Active: true,
			SCIMResource: storage.SCIMResource{ConnectionID: "company", CreatedAt: now, UpdatedAt: now},
			User: storage.User{ID: w.ambient.PersonID(), Email: "one@works.test", EmailVerified: true, CreatedAt: now,
				UpdatedAt: now, Profile: storage.Profile{Name: "One"}}}, false)
		w.must(err)
		b := w.browser()
		if b.visitUpstream("works"); !b.isSignedIn() {
			t.Fatal("who was sent is out")
		}
		if mine, err := w.Store.ListIdentities(t.Context(), sent.ID); err != nil || len(mine) != 1 {
			t.Errorf("they are somebody else: %v, %v", mine, err)
		}
		active := func(yes bool) {
			_, err := w.Store.UpdateSCIMUser(t.Context(), w.act(), "company", sent.ID,
				func(user storage.SCIMUser) (storage.SCIMUser, error) {
					user.Active = yes
					return user, nil
				})
			w.must(err)
		}
		active(false)
		if again := w.browser(); b.isSignedIn() || again.visitUpstream("works").Status == 0 || again.isSignedIn() {
			t.Error("whom the company switched off is in")
		}
		active(true)
		if again := w.browser(); again.visitUpstream("works").Status == 0 || !again.isSignedIn() {
			t.Error("whom the company switched on again is out")
		}
	})
}

// An account is its company's, whatever nobody has proven of its address: the company
// says whose it is, and nobody is asked to make it theirs.
//
// Rule: FED-27
func TestNobodyIsAskedToTakeOverWhatIsACompanys(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works", "join", "off")
		now := w.ambient.Now()
		w.must(w.Store.CreateSCIMConnection(t.Context(), w.act(), storage.SCIMConnection{ID: "company", Name: "Company",
			CreatedAt: now}))
		_, err := w.Store.CreateSCIMUser(t.Context(), w.act(), storage.SCIMUser{UserName: "one", Active: true,
			SCIMResource: storage.SCIMResource{ConnectionID: "company", CreatedAt: now, UpdatedAt: now},
			User: storage.User{ID: w.ambient.PersonID(), Email: "one@works.test", CreatedAt: now, UpdatedAt: now,
				Profile: storage.Profile{Name: "One"}}}, false)
		w.must(err)
		if v := w.browser().visitUpstream("works"); v.Status != http.StatusForbidden || v.At.Path == "/login/claim" {
			t.Errorf("%d on %s", v.Status, v.At)
		}
		w.must(w.Store.DeleteSCIMConnection(t.Context(), w.act(), "company"))
		if v := w.browser().visitUpstream("works"); v.At.Path != "/login/claim" {
			t.Errorf("once it is nobody's: %d on %s", v.Status, v.At)
		}
	})
}
