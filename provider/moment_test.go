package provider_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/metadoc"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// momentary is a store before which something comes just as a grant is kept or goes on.
type momentary struct {
	*sqlstore.Store
	first func()
}

func (m *momentary) strike() {
	if first := m.first; first != nil {
		m.first = nil
		first()
	}
}

func (m *momentary) RedeemCode(ctx context.Context, act storage.Act, hash []byte, grant storage.Grant) error {
	m.strike()
	return m.Store.RedeemCode(ctx, act, hash, grant)
}

func (m *momentary) RotateRefresh(ctx context.Context, act storage.Act,
	use storage.RefreshUse) (int, error) {
	m.strike()
	return m.Store.RotateRefresh(ctx, act, use)
}

// about is who asks in the moment, and for whom.
type about struct {
	*world
	clientID, userID string
}

// Rule: TOKEN-37
func TestATokenThatIsAskedForAsItsGroundEndsIsGoodForNothing(t *testing.T) {
	ends := map[string]func(a about){
		"the person is disabled": func(a about) { a.must(a.Store.SetUserDisabled(a.Context(), a.act(), a.userID, true)) },
		"the person is gone":     func(a about) { a.must(a.Store.DeleteUser(a.Context(), a.act(), a.userID)) },
		"they sign out of all": func(a about) {
			a.must(a.Store.EndSessions(a.Context(), a.act(), a.userID, ""))
		},
		"they take it back": func(a about) {
			a.must(a.Store.WithdrawConsent(a.Context(), a.act(), a.userID, a.clientID))
		},
		"the client is disabled": func(a about) {
			a.must(a.Store.SetClientDisabled(a.Context(), a.act(), a.clientID, true))
		},
		"the client is disabled and enabled": func(a about) {
			a.must(a.Store.SetClientDisabled(a.Context(), a.act(), a.clientID, true))
			a.must(a.Store.SetClientDisabled(a.Context(), a.act(), a.clientID, false))
		},
		"the client is gone": func(a about) { a.must(a.Store.DeleteClient(a.Context(), a.act(), a.clientID)) },
	}
	ways := map[string]func(w *world) (about, func() answer){
		"a device's code":               (*world).fromADevice,
		"the code of who is registered": (*world).registeringItself,
		"the code of who is described":  (*world).describedByADocument,
		"a refresh token":               (*world).goingOnWithARefresh,
	}
	eachDatabase(t, func(t *testing.T, anew func(testing.TB) string) {
		store := &momentary{}
		for kind, way := range ways {
			shownIn(t, anew(t), store, kind+", nothing", way, nil, true)
			for name, end := range ends {
				shownIn(t, anew(t), store, kind+", "+name, way, end, false)
			}
		}
	})
}

// shownIn has something end as a token is asked for, and wants what comes of it to be good
// for something, or nothing.
func shownIn(t *testing.T, database string, store *momentary, name string,
	way func(*world) (about, func() answer), end func(about), good bool) {
	t.Helper()
	w := newWorld(t, settings{database: database,
		over: func(s *sqlstore.Store) provider.Store { store.Store = s; return store }})
	a, asks := way(w)
	struck := end == nil
	if end != nil {
		store.first = func() { struck = true; end(a) }
	}
	got := asks()
	w.Provider.ForgetClients()
	w.wait(time.Second)
	works := false
	if token, given := got.JSON(w)["access_token"].(string); given {
		_, err := w.Bearer.Check(t.Context(), token)
		works = err == nil
	}
	if works != good || !struck || got.Status >= http.StatusInternalServerError {
		t.Errorf("%s: %d, good for something: %v, %q", name, got.Status, works, got.JSON(w)["error"])
	}
}

func (w *world) fromADevice() (about, func() answer) {
	user := w.person(somebody)
	d := w.begin(w.app(apps.Registration{Type: storage.ClientNative, Devices: true, RedirectURIs: []string{},
		Scopes: []string{"openid", "data:read"}}))
	w.browser().decide(d, "allow")
	return about{world: w, clientID: d.ID, userID: user.ID}, func() answer { return w.poll(d) }
}

func (w *world) registeringItself() (about, func() answer) {
	w.registering = registration.Open
	a, _ := w.registered(agent())
	a.RedirectURIs = []string{"http://localhost:58135/callback"}
	return w.withCode(a)
}

func (w *world) describedByADocument() (about, func() answer) {
	w.published.hosts = metadoc.All
	w.published.at(described, nil)
	return w.withCode(byDocument(described))
}

// withCode has a person sign in to the app, which redeems the code then.
func (w *world) withCode(a app) (about, func() answer) {
	user, b := w.person(somebody), w.browser()
	page := b.through(w.arrives(b, a), somebody)
	redeems := form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"), "code_verifier", verifier)
	return about{world: w, clientID: clientprofile.ID(a.ID), userID: user.ID},
		func() answer { return w.token(a, redeems) }
}

func (w *world) goingOnWithARefresh() (about, func() answer) {
	user, a := w.person(somebody), w.app(apps.Registration{Scopes: []string{"openid", "data:read"}})
	tokens := w.browser().tokens(a, somebody)
	return about{world: w, clientID: a.ID, userID: user.ID}, func() answer { return w.refreshWith(a, tokens) }
}
