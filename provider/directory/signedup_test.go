package directory_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
	"github.com/portico-id/portico/storage"
)

// signedUp adds an account for which somebody signed up who did not come back.
func (w *world) signedUp(email string) storage.User {
	w.Helper()
	user := storage.User{ID: w.ambient.PersonID(), Email: email, CreatedAt: w.ambient.Now(), UpdatedAt: w.ambient.Now(),
		EndsAt: w.ambient.Now().Add(time.Hour), Profile: storage.Profile{Name: email}}
	w.must(w.Store.CreateUser(w.Context(), w.act(), user, ""))
	link := storage.OneTimeLink{Hash: []byte(email), Purpose: storage.LinkPassword, UserID: user.ID,
		ExpiresAt: user.EndsAt, Email: email}
	w.must(w.Store.CreateOneTimeLink(w.Context(), w.act(), link))
	return user
}

// Anybody may sign up with the address of somebody whom a directory knows.
//
// Rules: LDAP-4, JOIN-2
func TestWhoSignsUpWithAnotherAddressKeepsNobodyOut(t *testing.T) {
	slapd := ldaptest.Start(t, persons("alice", "bob", "carol"))
	eachEngine(t, func(t *testing.T, w *world) {
		w.works(slapd, nil)
		for name, as := range map[string]string{"alice": "alice", "bob": "bob@works.test"} {
			user := w.signedUp(name + "@works.test")
			if _, asked, err := w.try(as, "wrong"); !asked || !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%s: asked %v, %v", as, asked, err)
			}
			s, _, err := w.try(as, secret)
			if err != nil || !s.User.EmailVerified || !s.User.EndsAt.IsZero() {
				t.Errorf("%s is %+v: %v", as, s.User, err)
			}
			_, err = w.Store.SetPasswordByLink(t.Context(), w.act(), []byte(user.Email), "hash")
			if !fault.Is(err, fault.Gone) {
				t.Errorf("by the link of the sign-up somebody has the account of %s: %v", name, err)
			}
		}
		user := w.signedUp("carol@works.test")
		w.set(map[string]any{"join": "all"})
		if w.walk(false); !w.in("carol", secret) || w.user(user.Email).ID != user.ID {
			t.Error("a walk does not let her in")
		}
		w.set(map[string]any{"vouches_for": []string{}})
		w.signedUp("dave@works.test")
		slapd.Change(add(ldaptest.PersonLDIF("dave", secret)))
		defer slapd.Change(remove(ldaptest.PersonDN("dave")))
		if w.in("dave", secret) {
			t.Error("a directory that vouches for nobody takes the account for which he signed up")
		}
	})
}
