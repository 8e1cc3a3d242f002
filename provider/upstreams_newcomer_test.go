package provider_test

import (
	"net/http"
	"strings"
	"testing"
)

// Rules: FED-31, PAGE-14
func TestWhatAnUpstreamCallsANewcomerIsHeldToTheRulesOfPeople(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		l := w.liar("works")
		for name, one := range map[string]struct{ says, kept string }{
			"a name":                           {"Ann Other", "Ann Other"},
			"one that nobody can see":          {"\u3164", ""},
			"one that turns what it is beside": {"Ann \u202egnp.exe", ""},
			"one of two lines":                 {"Ann\nOther", ""},
			"one without an end":               {strings.Repeat("Ann ", 100), ""},
		} {
			address := strings.ReplaceAll(name, " ", "-") + "@works.test"
			l.says = map[string]any{"sub": name, "email": address, "name": one.says, "family_name": "Other"}
			if v := w.browser().visitUpstream("works"); v.Status != http.StatusOK {
				t.Errorf("%s: %d", name, v.Status)
			}
			if p := w.whose(address).Profile; p.Name != one.kept || p.FamilyName != "Other" {
				t.Errorf("%s: the account is called %q, %q", name, p.Name, p.FamilyName)
			}
		}
		there := w.people()
		for name, address := range map[string]string{
			"with a name around it": "Ann <ann@works.test>", "quoted": `"an n"@works.test`, "of two": "a@b@works.test",
			"without an end": strings.Repeat("a", 300) + "@works.test", "of two lines": "ann\nother@works.test",
		} {
			l.says = map[string]any{"sub": name, "email": address}
			if v := w.browser().visitUpstream("works"); v.Status != http.StatusForbidden || w.people() != there {
				t.Errorf("an address %s: %d, and there are %d people", name, v.Status, w.people())
			}
		}
	})
}
