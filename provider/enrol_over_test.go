package provider_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// lookedAt is a store in which something happens once it was asked for a password.
type lookedAt struct {
	*sqlstore.Store
	happens func()
}

func (l *lookedAt) FindPasswordHash(ctx context.Context, userID string) (string, error) {
	hash, err := l.Store.FindPasswordHash(ctx, userID)
	l.happens()
	return hash, err
}

// Who is on the way in adds nothing to an account once what they have shown counts no more:
// what they add would stay, and shut out whose account it is.
//
// Rule: SIGNIN-13
func TestNothingIsAddedOnceTheFirstStepCountsNoMore(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		store := &lookedAt{happens: func() {}}
		w := newWorld(t, settings{database: database, over: func(s *sqlstore.Store) provider.Store {
			store.Store = s
			return store
		}})
		l := w.liar("lax")
		l.says = map[string]any{"email_verified": false}
		owners := w.liar("works")
		user := func() storage.User { return w.whose("one@works.test") }
		identity := func(of *liar, id string) storage.UpstreamIdentity {
			return storage.UpstreamIdentity{UpstreamID: id, Issuer: of.URL, Subject: "person-1", UserID: user().ID,
				Email: "one@works.test", LinkedAt: w.ambient.Now()}
		}
		force := w.act()
		force.Force = true
		byPassword := func(b *browser) visit {
			w.must(w.People.SetPassword(t.Context(), w.act(), user(), goodPassword, ""))
			return b.submit(b.get(w.URL+"/login?then=%2Fx&strong=1"), "login-form",
				form("username", "one@works.test", "password", goodPassword))
		}
		byUpstream := func(b *browser) visit { return b.visitUpstream("lax", "then=%2Flogin%3Fthen%3D%252Fx%26strong%3D1") }
		for _, tt := range []struct {
			name    string
			arrives func(*browser) visit
			ends    func() error
		}{
			{"the upstream is disabled", byUpstream,
				func() error { return w.Store.SetUpstreamDisabled(t.Context(), w.act(), "lax", true) }},
			{"the identity has ended", byUpstream,
				func() error { return w.Store.EndIdentity(t.Context(), w.act(), identity(l, "lax")) }},
			{"the identity is taken away", byUpstream,
				func() error { return w.Store.UnlinkIdentity(t.Context(), force, identity(l, "lax")) }},
			{"whose address it is takes the account up", byUpstream,
				func() error { return w.Store.ClaimByAddress(t.Context(), w.act(), identity(owners, "works")) }},
			{"the password is another", byPassword,
				func() error { return w.People.SetPassword(t.Context(), w.act(), user(), "another good password", "") }},
			{"the person is disabled", byPassword,
				func() error { return w.Store.SetUserDisabled(t.Context(), w.act(), user().ID, true) }},
		} {
			for _, when := range []string{"before the form comes", "as it comes"} {
				w.must(w.Store.SetUpstreamDisabled(t.Context(), w.act(), "lax", false))
				w.browser().visitUpstream("lax") // makes the account where there is none
				b := w.browser()
				v := tt.arrives(b)
				if v.At.Path != "/login/enrol" {
					t.Fatalf("%s: at %s, %d", tt.name, v.At, v.Status)
				}
				if when == "as it comes" {
					store.happens = func() { w.must(tt.ends()) }
				} else {
					w.must(tt.ends())
				}
				got := b.adds(v, &device{world: w, user: user()})
				store.happens = func() {}
				if user().TwoFactor || b.isSignedIn() || got.Status/100 == 5 {
					t.Errorf("%s %s: %d, a factor is added: %v, signed in: %v", tt.name, when, got.Status, user().TwoFactor,
						b.isSignedIn())
				}
				w.must(w.Store.DeleteUser(t.Context(), force, user().ID))
			}
		}
	})
}

// Whose sign-in is over has their recovery codes for the next: there are few of them.
//
// Rule: SIGNIN-13
func TestNoRecoveryCodeIsSpentOnceTheFirstStepCountsNoMore(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		store := &lookedAt{happens: func() {}}
		w := newWorld(t, settings{database: database, over: func(s *sqlstore.Store) provider.Store {
			store.Store = s
			return store
		}})
		w.liar("alone", "domains", "example.test")
		w.must(w.Store.UpdateUser(t.Context(), w.act(), w.person("root@here.test"), new(true)))
		d := w.guarded(somebody)
		password := func(is string) { w.must(w.People.SetPassword(t.Context(), w.act(), d.user, is, "")) }
		for i, ends := range []struct {
			name       string
			ends, back func()
		}{
			{"another password", func() { password("another good password") }, func() { password(goodPassword) }},
			{"elsewhere alone", func() { w.set("alone", "exclusive", "true") }, func() { w.set("alone", "exclusive", "false") }},
		} {
			types := func(happens func()) visit {
				b := w.browser()
				v := b.password(b.get(w.URL+"/login?then=%2Fx"), somebody)
				store.happens = happens
				defer func() { store.happens = func() {} }()
				return b.typesCode(v, d.codes[i])
			}
			got := types(ends.ends)
			has, err := w.Factors.Find(t.Context(), d.user.ID)
			w.must(err)
			if has.Codes != 10-i || got.Status != http.StatusConflict && got.Status != http.StatusForbidden {
				t.Errorf("%s: %d codes are left, the page is %d", ends.name, has.Codes, got.Status)
			}
			ends.back()
			if got := types(func() {}); got.At.Path != "/x" {
				t.Errorf("%s: the code does no more: at %s, %d", ends.name, got.At, got.Status)
			}
		}
	})
}
