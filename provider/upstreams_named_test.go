package provider_test

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/provider/upstreams"
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
