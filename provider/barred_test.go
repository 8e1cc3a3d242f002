package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// only makes the app one for the people alone.
func (w *world) only(a app, people ...storage.User) {
	w.Helper()
	_, err := w.Apps.Update(w.Context(), w.act(), a.ID, apps.Change{Restricted: new(true), ByAdministrator: true})
	w.must(err)
	for _, user := range people {
		w.must(w.Apps.Allow(w.Context(), w.act(), a.ID, storage.ClientAccess{UserID: user.ID}))
	}
	w.wait(clientLag)
}

func (v visit) barred(w *world) {
	w.Helper()
	if v.Away != nil || v.At.Path != "/consent" || v.Status != http.StatusForbidden ||
		!strings.Contains(string(v.Body), `id="barred-form"`) {
		w.Fatalf("sent to %v from %s, status %d:\n%s", v.Away, v.At, v.Status, v.Body)
	}
}

const somebodyElse = "else@example.test"

// Rules: ACCESS-1, ACCESS-2
func TestAnAppThatIsForOthersIsRefusedOnOurOwnPage(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user, other := w.person(somebody), w.person(somebodyElse)
		for name, r := range map[string]apps.Registration{"any app": {}, "a first-party app": {FirstParty: true}} {
			a := w.app(r)
			w.only(a, other)
			b := w.browser()
			page := b.submit(b.get(w.authorizeURL(a)), "login-form", form("username", somebody, "password", goodPassword))
			page.barred(w)
			b.submit(page, "barred-form", form("decision", "allow")).barred(w)
			if _, err := w.Store.FindConsent(t.Context(), user.ID, a.ID); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s: of a refusal is remembered: %v", name, err)
			}
			if got := b.get(w.authorizeURL(a, "prompt", "none")); got.Away == nil ||
				got.Away.Query().Get("error") != "access_denied" {
				t.Errorf("%s, without a page: %v", name, got.Away)
			}
			back := b.submit(page, "barred-form", form("decision", "deny"))
			if back.Away == nil || back.Away.Query().Get("error") != "access_denied" ||
				back.Away.Query().Get("state") != "some-state" {
				t.Errorf("%s: the way back leads to %v", name, back.Away)
			}
			switched := b.get(w.URL + "/login?request=" + url.QueryEscape(b.get(w.authorizeURL(a)).At.Query().Get("request")))
			if got := b.through(switched, somebodyElse); got.Away == nil || got.Away.Query().Get("code") == "" {
				t.Errorf("%s: another account goes to %v from %s", name, got.Away, got.At)
			}
		}
	})
}

// Rule: ACCESS-2
func TestNobodyAllowsWhatIsNotForThemAnyMore(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	for _, prompt := range []string{"", "consent"} {
		a, b := w.app(apps.Registration{}), w.browser()
		page := b.submit(b.get(w.authorizeURL(a, "prompt", prompt)), "login-form",
			form("username", somebody, "password", goodPassword))
		w.only(a)
		b.submit(page, "consent-form", form("decision", "allow")).barred(w)
		b.get(w.URL + "/authentication/v2/authorize/resume?" + page.At.RawQuery).barred(w)
		w.must(w.Apps.Allow(t.Context(), w.act(), a.ID, storage.ClientAccess{UserID: user.ID}))
		if got := b.submit(page, "consent-form", form("decision", "allow")); got.Away == nil ||
			got.Away.Query().Get("code") == "" {
			t.Errorf("named: %v at %s", got.Away, got.At)
		}
	}
}
