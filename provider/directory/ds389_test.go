package directory_test

import (
	"os"
	"slices"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/storage"
)

// Rules: LDAP-1, LDAP-8, LDAP-10
func Test389WorksAsItsGuideSays(t *testing.T) {
	if os.Getenv("PORTICO_OTHERS") == "" {
		t.Skip("make test-others runs it")
	}
	s := ldaptest.Start389(t, persons("alice", "bob", "gone")+nested(5, ldaptest.PersonDN("alice"))+
		"dn: "+ldaptest.GroupDN("unique")+"\nobjectClass: groupOfUniqueNames\ncn: unique\nuniqueMember: "+
		ldaptest.PersonDN("bob")+"\n\n")
	eachEngine(t, func(t *testing.T, w *world) {
		_, err := w.Rules.Create(t.Context(), w.act(), "works", "389", config(map[string]any{"hosts": []string{s.TLS},
			"ca": s.CA, "join": "all", "groups_come": true, "networks": []string{"127.0.0.0/8", "::1/128"}}))
		w.must(err)
		for _, name := range []string{"alice", "alice@works.test", "ALICE"} {
			if !w.in(name, secret) {
				t.Errorf("%s is out", name)
			}
		}
		if _, _, err := w.try("alice", "wrong"); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("a wrong password: %v", err)
		}
		if said := w.walk(false); said.Outcome != storage.WalkDone || said.People != 3 || said.Groups != 6 {
			t.Fatalf("the walk says %+v", said)
		}
		alice := w.user("alice@works.test")
		all := []string{"level 0", "level 1", "level 2", "level 3", "level 4"}
		if got := w.groupsOf(alice.ID); !slices.Equal(got, all) {
			t.Errorf("after a walk she is in %v", got)
		}
		if !w.in("alice", secret) || !slices.Equal(w.groupsOf(alice.ID), all) {
			t.Errorf("after a sign-in she is in %v", w.groupsOf(alice.ID))
		}
		s.Change("dn: " + ldaptest.PersonDN("bob") + "\nchangetype: modify\nadd: nsAccountLock\nnsAccountLock: true\n\n" +
			remove(ldaptest.PersonDN("gone")))
		w.walk(false)
		for name, out := range map[string]bool{"alice": false, "bob": true, "gone": true} {
			if user := w.user(name + "@works.test"); user.Disabled != out {
				t.Errorf("%s: disabled %v", name, user.Disabled)
			}
		}
		if w.in("bob", secret) {
			t.Error("whose account is locked there is in")
		}
		s.Change("dn: " + ldaptest.PersonDN("bob") + "\nchangetype: modify\ndelete: nsAccountLock\n\n")
		if w.walk(false); !w.in("bob", secret) {
			t.Error("who is let in again there is out")
		}
		s.Change(add(persons("gone")))
	})
}
