package provider_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/password"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// meanwhile is a store in which something happens once a password was found right,
// before its session starts.
type meanwhile struct {
	*sqlstore.Store
	happens func()
}

func (m *meanwhile) ForgetTries(ctx context.Context, keys ...[]byte) error {
	m.happens()
	return m.Store.ForgetTries(ctx, keys...)
}

// Rule: SIGNIN-13
func TestASignInUnderWayEndsWithWhatItRestsOn(t *testing.T) {
	store := &meanwhile{happens: func() {}}
	w := newWorld(t, settings{over: func(s *sqlstore.Store) provider.Store {
		store.Store = s
		return store
	}})
	user := w.person(somebody)
	for name, happens := range map[string]func() error{
		"the password changes": func() error {
			return w.People.SetPassword(t.Context(), w.act(), user,
				"another good password", "")
		},
		"a factor comes up": func() error {
			_, err := w.Store.AddAuthenticator(t.Context(), w.act(),
				storage.Authenticator{UserID: user.ID, Secret: []byte("x"), CreatedAt: w.ambient.Now()}, nil,
				storage.LoginSession{}, storage.Proof{})
			return err
		},
		"the person is disabled": func() error { return w.Store.SetUserDisabled(t.Context(), w.act(), user.ID, true) },
	} {
		store.happens = func() { w.must(happens()) }
		b := w.browser()
		if v := b.signIn(somebody, goodPassword); v.Status != http.StatusConflict ||
			!strings.Contains(string(v.Body), "Please sign in again") || b.isSignedIn() {
			t.Errorf("%s: status %d, signed in %v", name, v.Status, b.isSignedIn())
		}
		store.happens = func() {}
		w.must(w.Store.SetUserDisabled(t.Context(), w.act(), user.ID, false))
		w.must(w.People.SetPassword(t.Context(), w.act(), user, goodPassword, ""))
		_ = w.Store.RemoveAuthenticator(t.Context(), w.act(), user.ID, "")
		if v := b.signIn(somebody, goodPassword); v.At.Path != "/" {
			t.Errorf("%s: afterwards %s, status %d", name, v.At, v.Status)
		}
	}
}

// Rule: SIGNIN-15
func TestEightWhoseHashIsRenewedAtOnceAreAllSignedIn(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	older, err := password.New(w.ambient).Hash(t.Context(), goodPassword)
	w.must(err)
	w.must(w.Store.SetPassword(t.Context(), w.act(), user.ID, older, ""))
	var all sync.WaitGroup
	for range 8 {
		b := w.browser()
		all.Go(func() {
			if v := b.signIn(somebody, goodPassword); v.At.Path != "/" {
				t.Errorf("at %s, status %d", v.At, v.Status)
			}
		})
	}
	all.Wait()
	if kept, err := w.Store.FindPasswordHash(t.Context(), user.ID); err != nil || kept == older {
		t.Errorf("the hash was not renewed: %v", err)
	}
}

// Rule: SIGNIN-14
func TestABrowserHasNoTriesOfItsOwnOnceThePasswordChanged(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	b := w.browser()
	b.signIn(somebody, goodPassword)
	stranger := func() {
		for range 10 {
			w.browser().signIn(somebody, "wrong horse battery")
		}
	}
	w.must(w.People.SetPassword(t.Context(), w.act(), user, "another good password", ""))
	stranger()
	if v := b.signIn(somebody, "another good password"); v.Status != http.StatusTooManyRequests {
		t.Errorf("a browser from before the change: status %d", v.Status)
	}
	w.wait(30 * 60e9)
	if v := b.signIn(somebody, "another good password"); v.At.Path != "/" {
		t.Fatalf("half an hour later: status %d", v.Status)
	}
	b.get(w.logoutURL())
	stranger()
	if v := b.signIn(somebody, "another good password"); v.At.Path != "/" {
		t.Errorf("a browser from after the change: status %d", v.Status)
	}
}
