package provider_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
)

// Rules: FED-31, PAGE-14
func TestWhatAnUpstreamCallsANewcomerIsHeldToTheRulesOfPeople(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		for name, one := range map[string]struct{ says, kept string }{
			"a name":                           {"Person Two", "Person Two"},
			"one of Japan":                     {"山田\u3000太郎", "山田\u3000太郎"},
			"one that nobody can see":          {"\u3164", "Two"},
			"one that turns what it is beside": {"Person \u202egnp.exe", "Two"},
			"one of two lines":                 {"Person\nTwo", "Two"},
			"one without an end":               {strings.Repeat("Person ", 100), "Two"},
		} {
			address := strings.ReplaceAll(name, " ", "-") + "@works.test"
			l.says = map[string]any{"sub": name, "email": address, "name": one.says, "family_name": "Two"}
			if v := w.browser().visitUpstream("works"); v.Status != http.StatusOK {
				t.Errorf("%s: %d", name, v.Status)
			}
			if p := w.whose(address).Profile; p.Name != one.kept || p.FamilyName != "Two" {
				t.Errorf("%s: the account is called %q, %q", name, p.Name, p.FamilyName)
			}
		}
		l.says = map[string]any{"sub": "of parts", "email": "parts@works.test", "name": "Person Two\u200e",
			"given_name": "Person", "family_name": "Two"}
		w.browser().visitUpstream("works")
		if p := w.whose("parts@works.test").Profile; p.Name != "Person Two" {
			t.Errorf("whose parts fit is called %q", p.Name)
		}
		there := w.people()
		for name, address := range map[string]string{
			"with a name around it": "Person <two@works.test>", "quoted": `"t wo"@works.test`, "of two": "a@b@works.test",
			"without an end": strings.Repeat("a", 300) + "@works.test", "of two lines": "two\nlines@works.test",
		} {
			l.says = map[string]any{"sub": name, "email": address}
			if v := w.browser().visitUpstream("works"); v.Status != http.StatusForbidden || w.people() != there {
				t.Errorf("an address %s: %d, and there are %d people", name, v.Status, w.people())
			}
		}
	})
}

// Of what is beside what counts providers tell in their own ways: LinkedIn the locale as an object, IdentityServer 3
// and Signicat a lone method without a list.
//
// Rules: FED-6, FED-12
func TestAnUpstreamMayTellInItsOwnWayWhatIsBeside(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works", "trust_mfa", "true")
		for name, beside := range map[string]map[string]any{
			"the locale": {"locale": map[string]string{"language": "en", "country": "US"}},
			"a method":   {"amr": "mfa"},
		} {
			l.says, l.info = maps.Clone(beside), maps.Clone(beside)
			l.says["name"], l.info["sub"], l.info["name"] = nil, "person-1", "Person Two"
			b := w.browser()
			if v := b.visitUpstream("works"); v.Status != http.StatusOK || !b.isSignedIn() {
				t.Errorf("%s: %d on %s", name, v.Status, v.At)
			}
		}
		sessions, err := w.Store.ListSessions(t.Context(), w.whose("one@works.test").ID, w.ambient.Now(), time.Unix(0, 0))
		w.must(err)
		strong := func(s storage.LoginSession) bool { return s.ACR == storage.ACRTwoFactors }
		if len(sessions) != 2 || !slices.ContainsFunc(sessions, strong) {
			t.Errorf("a lone method does not count: %v", sessions)
		}
	})
}
