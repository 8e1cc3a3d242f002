package directory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/storage"
)

const secret = "secret of somebody"

// Rule: LDAP-1
func TestPeopleAreWhomTheirDirectoryKnows(t *testing.T) {
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secret)+ldaptest.PersonLDIF("bob", secret))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		s, asked, err := w.try("alice", secret)
		w.must(err)
		user := s.User
		if !asked || user.Email != "alice@works.test" || !user.EmailVerified || user.Profile.Name != "alice Person" ||
			user.Profile.LDAPDomain != "works.test" || s.Proof.Upstream.UpstreamID != "works" || user.Admin {
			t.Errorf("asked %v, she is %+v by %+v", asked, user, s.Proof.Upstream)
		}
		for _, name := range []string{"alice@works.test", "ALICE", " alice "} {
			again, _, err := w.try(name, secret)
			if err != nil || again.User.ID != user.ID {
				t.Errorf("%q is %v, %v", name, again.User.ID, err)
			}
		}
		for name, password := range map[string]string{"alice": "wrong", "nobody": secret, "bob": secret + "x"} {
			if w.in(name, password) {
				t.Errorf("%s is in with %q", name, password)
			}
		}
	})
}

// Rule: LDAP-2
func TestNoPasswordThatIsNoneIsPassedOn(t *testing.T) {
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secret))
	eachEngine(t, func(t *testing.T, w *world) {
		tap := ldaptest.Tap(t, slapd.URL)
		w.works(slapd, map[string]any{"hosts": []string{tap.URL}, "ca": ""})
		for _, password := range []string{"", "\x00", secret + "\x00", "\x00" + secret, strings.Repeat("x", 10<<10)} {
			if w.in("alice", password) {
				t.Errorf("%.20q lets her in", password)
			}
		}
		if n := tap.Bytes(); n > 0 {
			t.Errorf("%d bytes went to the directory", n)
		}
		if !w.in("alice", secret) || tap.Bytes() == 0 {
			t.Error("her password does not")
		}
	})
}

// Rule: LDAP-3
func TestNamesAreNamesAndNothingElse(t *testing.T) {
	strange := `dn: cn=Müller\, \"Jo\" \+ Söhne\; \#1,` + ldaptest.People + `
objectClass: inetOrgPerson
uid: joe(*)\x
cn: Müller, "Jo" + Söhne; #1
sn: Müller
mail: joe@works.test
userPassword: ` + secret + "\n\n"
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secret)+strange)
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		for _, name := range []string{"*", "*)(uid=*", "alice)(objectClass=*", "ali*", `alice\2a`, "alice\x00",
			"uid=alice," + ldaptest.People, ")(", "alice)(|(uid=*", strings.Repeat("a", 300)} {
			if _, asked, err := w.try(name, secret); !asked || !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%q: asked %v, %v", name, asked, err)
			}
		}
		if !w.in(`joe(*)\x`, secret) || !w.in("joe@works.test", secret) {
			t.Error("whose name has such letters is not found")
		}
	})
}

// Rule: LDAP-4
func TestAnAccountHereIsNotTheDirectorys(t *testing.T) {
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secret)+ldaptest.PersonLDIF("bob", secret)+
		ldaptest.PersonLDIF("root", secret))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		alice := w.person("alice@works.test")
		if _, asked, err := w.try("alice@works.test", secret); asked || err != nil {
			t.Errorf("the directory is asked about an account here: %v", err)
		}
		if _, _, err := w.try("alice", secret); !fault.Is(err, fault.Forbidden) {
			t.Errorf("by another name she takes the account that has her address: %v", err)
		}
		w.must(w.Rules.Connect(t.Context(), w.act(), "works", "alice", alice.ID))
		if s, _, err := w.try("alice@works.test", secret); err != nil || s.User.ID != alice.ID {
			t.Errorf("connected she is %q: %v", s.User.ID, err)
		}
		admin, yes := w.person("root@works.test"), true
		w.must(w.Store.UpdateUser(t.Context(), w.act(), admin, &yes))
		bob := w.person("bob@works.test")
		w.set(map[string]any{"link": "verified"})
		if s, _, err := w.try("bob", secret); err != nil || s.User.ID != bob.ID {
			t.Errorf("vouched for he is %q: %v", s.User.ID, err)
		}
		if w.in("root", secret) {
			t.Error("the account of an administrator became the directory's")
		}
	})
}

// Rule: LDAP-5
func TestADirectoryThatIsOffLetsNobodyIn(t *testing.T) {
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secret))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		s, _, err := w.try("alice", secret)
		w.must(err)
		claimed, err := w.Rules.Claims(t.Context(), s.User)
		if w.must(err); len(claimed) > 0 {
			t.Errorf("while it is on she may not sign in with a passkey: %v", claimed)
		}
		w.must(w.Rules.Switch(t.Context(), w.act(), "works", true))
		if w.in("alice", secret) || w.in("alice@works.test", secret) {
			t.Error("she is in by a directory that is off")
		}
		w.must(w.Store.SetPassword(t.Context(), w.act(), s.User.ID, "hash", "")) // as by a link in a mail
		if _, asked, err := w.try("alice@works.test", "here"); !asked || !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("a password of hers that is kept here is judged: asked %v, %v", asked, err)
		}
		claimed, err = w.Rules.Claims(t.Context(), s.User)
		if w.must(err); !slices.Equal(claimed, []string{"works"}) {
			t.Errorf("other ways in are open to her: %v", claimed)
		}
		err = w.Store.StartSession(t.Context(), w.act(), storage.LoginSession{ID: "s", TokenHash: []byte{1},
			UserID: s.User.ID, CreatedAt: w.ambient.Now(), UpstreamID: "works"}, s.Proof)
		if !fault.Is(err, fault.Gone) {
			t.Errorf("a sign-in under way: %v", err)
		}
		w.must(w.Rules.Switch(t.Context(), w.act(), "works", false))
		if !w.in("alice", secret) {
			t.Error("switched on again she is out")
		}
	})
}

// Rule: LDAP-6
func TestWhoMustChangeTheirPasswordChangesItThere(t *testing.T) {
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secret)+ldaptest.PersonLDIF("bob", secret)+
		ldaptest.PersonLDIF("locked", secret))
	slapd.Change("dn: " + ldaptest.PersonDN("bob") + "\nchangetype: modify\nreplace: pwdReset\npwdReset: TRUE\n\n" +
		"dn: " + ldaptest.PersonDN("locked") + "\nchangetype: modify\nadd: pwdAccountLockedTime\n" +
		"pwdAccountLockedTime: 000001010000Z\n\n")
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		if _, _, err := w.try("bob", secret); !fault.HasReason(err, "directory_new_password_there") {
			t.Errorf("he is told %v", err)
		}
		if _, _, err := w.try("bob", "wrong"); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("whoever does not know his password is told %v", err)
		}
		if _, _, err := w.try("locked", secret); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("whose account is locked is told %v", err)
		}
		if !w.in("alice", secret) {
			t.Error("she is out")
		}
	})
}

// Rule: LDAP-7
func TestGuessingEndsBeforeTheDirectoryLocksTheAccount(t *testing.T) {
	slapd := ldaptest.Start(t, ldaptest.PersonLDIF("alice", secret)+ldaptest.PersonLDIF("bob", secret))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		for _, name := range []string{"alice", "alice@works.test", "ALICE", "Alice"} {
			w.in(name, "wrong")
		}
		if w.in("alice", secret) {
			t.Error("a fifth try is passed on")
		}
		if !w.in("bob", secret) {
			t.Error("he is out")
		}
		w.wait(5 * 60 * 1e9)
		moved := strings.HasSuffix(t.Name(), "/sqlite") // PostgreSQL counts by a clock of its own
		if moved && !w.in("alice", secret) {
			t.Error("she stays out")
		}
	})
}
