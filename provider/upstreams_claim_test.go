package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/apps"
)

// lain is an account that somebody has made with the address of another, who have not
// proven that it is theirs.
func (w *world) lain(email string, admin bool) {
	w.Helper()
	user := w.person(email)
	user.EmailVerified = false
	w.must(w.Store.UpdateUser(w.Context(), w.act(), user, &admin))
}

// Rule: FED-27
func TestWhoseAddressItIsTakesOverAnAccountThatLayInWait(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person("admin@works.test")
		w.lain("one@works.test", false)
		thief := w.browser()
		a := w.app(apps.Registration{})
		stolen := thief.tokens(a, "one@works.test")
		l := w.liar("works", "join", "off")

		l.says = map[string]any{"email_verified": false}
		if v := w.browser().visitUpstream("works"); v.Status != http.StatusForbidden {
			t.Errorf("an address that is not proven: %d on %s", v.Status, v.At)
		}
		l.says = nil
		owner, second := w.browser(), w.browser()
		asked := owner.get(owner.authorizeURL(a))
		v := owner.visitUpstream("works", asked.At.RawQuery)
		if v.At.Path != "/login/claim" || !strings.Contains(string(v.Body), "one@works.test") || !thief.isSignedIn() {
			t.Fatalf("asked on %s: %d", v.At, v.Status)
		}
		if v := w.browser().get(w.URL + "/login/claim"); v.Status != http.StatusBadRequest {
			t.Errorf("in another browser: %d", v.Status)
		}
		late := second.visitUpstream("works")

		v = owner.through(owner.throughAway(owner.submit(v, "claim-form", nil)), "")
		if v.Away == nil || v.Away.Query().Get("code") == "" || !owner.isSignedIn() {
			t.Fatalf("after it on %s: %d", v.At, v.Status)
		}
		if thief.isSignedIn() || w.browser().signIn("one@works.test", goodPassword).Status == http.StatusOK {
			t.Error("what opened the account before opens it still")
		}
		if got := w.refreshWith(a, stolen); got.Status != http.StatusBadRequest {
			t.Errorf("a token of before: %d", got.Status)
		}
		if v := second.submit(late, "claim-form", nil); v.Status != http.StatusForbidden {
			t.Errorf("a second window: %d on %s", v.Status, v.At)
		}
		if second.visitUpstream("works"); !second.isSignedIn() || w.people() != 2 {
			t.Error("whose account it is does not sign in to it")
		}
	})
}

// Rule: FED-27
func TestNobodyTakesOverAnAdministratorsAccount(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.lain("one@works.test", true)
		w.liar("works")
		if v := w.browser().visitUpstream("works"); v.Status != http.StatusForbidden {
			t.Errorf("%d on %s", v.Status, v.At)
		}
	})
}
