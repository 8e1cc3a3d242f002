package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
)

// Rule: LDAP-17
func TestNamesOfUpstreamsAreMeasuredInCharactersAndOfOneLine(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works")
		_, err := w.Directories.Create(t.Context(), w.act(), "people", "openldap", directory.Change{
			Config: []byte(`{"hosts":["ldaps://127.0.0.1:1"],"base":"dc=works"}`)})
		w.must(err)
		for name, good := range map[string]bool{strings.Repeat("公", 50): true, strings.Repeat("公", 101): false,
			"two\nlines": false, "a\x00b": false, "a\xffb": false, "a\x1b[2Jb": false} {
			_, upstream := w.Upstreams.Set(t.Context(), w.act(), "works", "", upstreams.Change{"name": name})
			_, of := w.Directories.Set(t.Context(), w.act(), "people", directory.Change{Name: &name})
			_, prefix := w.Directories.Set(t.Context(), w.act(), "people", directory.Change{GroupPrefix: &name})
			for field, err := range map[string]error{"upstream": upstream, "directory": of, "prefix": prefix} {
				if good != (err == nil) || !good && !fault.Is(err, fault.Invalid) {
					t.Errorf("%s %q: %v", field, name, err)
				}
			}
		}
		ends := "Works: "
		_, err = w.Directories.Set(t.Context(), w.act(), "people", directory.Change{GroupPrefix: &ends})
		w.must(err)
	})
}

// An earlier version kept them as they were typed.
//
// Rules: FED-22, LDAP-17
func TestDomainsThatWereKeptInCapitalsCount(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works", "trust_email", "false", "join", "domain", "join_domains", "works.test", "vouches_for", "works.test")
		_, err := w.Directories.Create(t.Context(), w.act(), "people", "openldap", directory.Change{Config: []byte(
			`{"hosts":["ldaps://127.0.0.1:1"],"base":"dc=works","vouches_for":["works.test"]}`)})
		w.must(err)
		for _, id := range []string{"works", "people"} {
			kept, err := w.Store.FindUpstream(t.Context(), id)
			w.must(err)
			kept.Config = strings.ReplaceAll(kept.Config, `"works.test"`, `"Works.Test"`)
			w.must(w.Store.UpdateUpstream(t.Context(), w.act(), kept, storage.UpstreamEnds{}))
		}
		b := w.browser()
		if v := b.visitUpstream("works"); !b.isSignedIn() || !w.whose("one@works.test").EmailVerified {
			t.Errorf("whoever is of a domain in capitals is told %d on %s", v.Status, v.At)
		}
		if view, err := w.Directories.Show(t.Context(), "people"); err != nil || view.Config.Vouch[0] != "works.test" {
			t.Errorf("the directory vouches for %v: %v", view.Config.Vouch, err)
		}
	})
}

// What no address is of would let nobody in, or everybody, and say so to nobody.
//
// Rules: FED-22, LDAP-17
func TestDomainsAreKeptAsTheyCompareAndASlipIsRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.liar("works", "trust_email", "false", "join", "domain", "join_domains", "Works.Test", "vouches_for", "WORKS.test")
		b := w.browser()
		if v := b.visitUpstream("works"); !b.isSignedIn() || !w.whose("one@works.test").EmailVerified {
			t.Errorf("whoever is of a domain in capitals is told %d on %s", v.Status, v.At)
		}
		_, err := w.Directories.Create(t.Context(), w.act(), "people", "openldap", directory.Change{Config: []byte(
			`{"hosts":["ldaps://127.0.0.1:1"],"base":"dc=works","vouches_for":["Works.Test"]}`)})
		w.must(err)
		if view, err := w.Directories.Show(t.Context(), "people"); err != nil || view.Config.Vouch[0] != "works.test" {
			t.Errorf("the directory vouches for %v: %v", view.Config.Vouch, err)
		}
		for _, slip := range []string{"@works.test", "one@works.test", "https://works.test", "works.test.", "*.works.test",
			"works.test; other.test"} {
			for _, field := range []string{"domains", "join_domains", "vouches_for"} {
				_, err := w.Upstreams.Set(t.Context(), w.act(), "works", "", upstreams.Change{field: slip})
				if !fault.Is(err, fault.Invalid) || fault.All(err)[0].Source != field {
					t.Errorf("an upstream takes %q for %s: %v", slip, field, err)
				}
			}
			for field, change := range map[string]directory.Change{"domains": {Domains: &[]string{slip}},
				"vouches_for": {Config: fmt.Appendf(nil, `{"vouches_for":[%q]}`, slip)}} {
				_, err := w.Directories.Set(t.Context(), w.act(), "people", change)
				if !fault.Is(err, fault.Invalid) || fault.All(err)[0].Source != field {
					t.Errorf("a directory takes %q for %s: %v", slip, field, err)
				}
			}
		}
	})
}
