package directory_test

import (
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/storage"
)

// Rule: LDAP-17
func TestADirectoryHasANameOfItsOwn(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		connection := func(id, name string) error {
			return w.Store.CreateSCIMConnection(t.Context(), w.act(), storage.SCIMConnection{ID: id, Name: name,
				CreatedAt: w.ambient.Now()})
		}
		make := func(id, name string) error {
			change := config(map[string]any{"hosts": []string{"ldaps://127.0.0.1:1"}, "base": ldaptest.People})
			change.Name = &name
			_, err := w.Rules.Create(t.Context(), w.act(), id, "openldap", change)
			return err
		}
		rename := func(name string) error {
			_, err := w.Rules.Set(t.Context(), w.act(), "works", directory.Change{Name: &name})
			return err
		}
		w.must(connection("company", "Company"))
		w.must(make("works", "Works"))
		w.must(make("other", "Other"))
		for name, err := range map[string]error{"a connection's": make("new", "COMPANY"),
			"a directory's": make("new", "works"), "to a connection's": rename("company"), "to a directory's": rename("OTHER"),
		} {
			if !fault.HasReason(err, storage.ReasonDirectoryNameTaken) || fault.From(err).Source != "name" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := connection("late", "WORKS"); !fault.HasReason(err, storage.ReasonNameTaken) {
			t.Errorf("a connection with the name of a directory: %v", err)
		}
		w.must(rename("WORKS"))
		w.must(connection("late", "Later"))
	})
}
