package provider_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// receiver is a client's back-channel logout endpoint.
type receiver struct {
	*httptest.Server
	tokens chan string // what came, in order

	mu     sync.Mutex
	status int
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{tokens: make(chan string, 100), status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		form, parseErr := url.ParseQuery(string(body))
		if err != nil || parseErr != nil || request.Method != http.MethodPost || len(form) != 1 ||
			request.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
			t.Errorf("%s %v %q came", request.Method, request.Header, body)
		}
		r.tokens <- form.Get("logout_token")
		r.mu.Lock()
		defer r.mu.Unlock()
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// listening registers an app of the receiver.
func (w *world) listening(r *receiver) app {
	w.Helper()
	return w.app(apps.Registration{BackchannelLogoutURI: r.URL + "/logout", Scopes: []string{"openid"}})
}

// deliver attempts what is due and checks how many attempts that took.
func (w *world) deliver(want int) {
	w.Helper()
	got, err := w.Provider.LogoutDeliveries().DeliverDue(w.Context())
	w.must(err)
	if got != want {
		w.Errorf("%d attempts, want %d", got, want)
	}
}

func (w *world) deliveries(a app) []storage.LogoutDelivery {
	w.Helper()
	all, _, err := w.Store.ListLogoutDeliveries(w.Context(), a.ID, storage.PageRequest{})
	w.must(err)
	return all
}

func (b *browser) signOut() {
	b.Helper()
	if v := b.get(b.URL + "/authentication/v2/logout"); v.At.Path != "/login" {
		b.Fatalf("after signing out at %s, status %d", v.At, v.Status)
	}
}

// Rule: LOGOUT-8
func TestLogoutTellsEveryClientOfTheSession(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person("user@example.test")
		r1, r2, r3 := newReceiver(t), newReceiver(t), newReceiver(t)
		first, second, stranger, deaf := w.listening(r1), w.listening(r2), w.listening(r3), w.app(apps.Registration{})
		b := w.browser()
		body := b.tokens(first, user.Email)
		for _, a := range []app{second, first, deaf} {
			b.tokens(a, user.Email)
		}
		w.deliver(0)
		b.signOut()
		w.deliver(2)
		w.deliver(0)

		sid := part(t, body["id_token"].(string), 1)["sid"]
		for r, a := range map[*receiver]app{r1: first, r2: second} {
			if len(r.tokens) != 1 {
				t.Fatalf("%d tokens came, want 1", len(r.tokens))
			}
			w.checkLogoutToken(<-r.tokens, a, user.ID, sid)
			got := w.deliveries(a)[0]
			if got.Attempts != 1 || got.LastStatus != 200 || got.Failure != "" || got.DeliveredAt.IsZero() ||
				!got.NextAt.IsZero() || got.SessionID != sid {
				t.Errorf("the record says %+v", got)
			}
		}
		if len(r3.tokens) != 0 || len(w.deliveries(stranger)) != 0 || len(w.deliveries(deaf)) != 0 {
			t.Error("a client without part in it was to be told")
		}
	})
}

// checkLogoutToken holds a token to section 2.4 of Back-Channel Logout, by a
// library that is not ours.
func (w *world) checkLogoutToken(token string, a app, subject string, sid any) {
	w.Helper()
	server, err := oidc.NewProvider(w.Context(), w.URL)
	w.must(err)
	if _, err := server.Verifier(&oidc.Config{ClientID: a.ID, Now: w.ambient.Now}).Verify(w.Context(), token); err != nil {
		w.Errorf("the logout token does not verify: %v", err)
	}
	claims := part(w, token, 1)
	lifetime := claims["exp"].(float64) - claims["iat"].(float64)
	if lifetime <= 0 || lifetime > 120 || claims["jti"] == "" {
		w.Errorf("it lives %v seconds, jti %q", lifetime, claims["jti"])
	}
	delete(claims, "iat")
	delete(claims, "exp")
	delete(claims, "jti")
	want := map[string]any{
		"iss": w.URL, "aud": a.ID, "sub": subject, "sid": sid,
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}
	if diff := cmp.Diff(want, claims); diff != "" {
		w.Errorf("claims (-want +got):\n%s", diff)
	}
	if typ := part(w, token, 0)["typ"]; typ != "logout+jwt" {
		w.Errorf("typ %v", typ)
	}
}

// Rule: LOGOUT-10
func TestAClientWithIDTokensAloneIsToldToo(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person("user@example.test")
	r := newReceiver(t)
	a := w.listening(r)
	b := w.browser()
	v := b.through(b.get(w.authorizeURL(a, "response_type", "id_token", "nonce", "n")), user.Email)
	if v.Away == nil || !strings.Contains(v.Away.Fragment, "id_token=") {
		t.Fatalf("at %s, sent to %s", v.At, v.Away)
	}
	b.signOut()
	w.deliver(1)
}

// Rule: LOGOUT-10
func TestSigningInAgainIsNoLogoutAndKeepsTheSid(t *testing.T) {
	w := newWorld(t, settings{})
	user, other := w.person("user@example.test"), w.person("other@example.test")
	r := newReceiver(t)
	a := w.listening(r)
	b := w.browser()
	first := part(t, b.tokens(a, user.Email)["id_token"].(string), 1)
	w.wait(2 * time.Second)
	again := part(t, b.tokens(a, user.Email, "prompt", "login")["id_token"].(string), 1)
	if first["sid"] != again["sid"] || first["auth_time"] == again["auth_time"] {
		t.Errorf("sid %v then %v, auth_time %v then %v", first["sid"], again["sid"], first["auth_time"], again["auth_time"])
	}
	w.deliver(0)

	b.tokens(a, other.Email, "prompt", "login")
	w.deliver(1)
	w.checkLogoutToken(<-r.tokens, a, user.ID, first["sid"])
}

// Rule: LOGOUT-10
func TestLogoutByOtherMeansIsToldToo(t *testing.T) {
	for name, end := range map[string]func(w *world, user storage.User) error{
		"the user is disabled": func(w *world, user storage.User) error {
			return w.Store.SetUserDisabled(w.Context(), w.act(), user.ID, true)
		},
		"the user is deleted": func(w *world, user storage.User) error {
			return w.Store.DeleteUser(w.Context(), w.act(), user.ID)
		},
		"the password changes": func(w *world, user storage.User) error {
			return w.Store.SetPassword(w.Context(), w.act(), user.ID, "hash", "")
		},
		"sign-out everywhere": func(w *world, user storage.User) error {
			return w.Store.EndSessions(w.Context(), w.act(), user.ID, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, settings{})
			user := w.person("user@example.test")
			r := newReceiver(t)
			w.browser().tokens(w.listening(r), user.Email)
			w.must(end(w, user))
			w.deliver(1)
		})
	}
}

// Rule: LOGOUT-8
func TestADeliveryIsRetriedSixTimesInAQuarterOfAnHour(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person("user@example.test")
	r := newReceiver(t)
	r.answer(http.StatusServiceUnavailable)
	a := w.listening(r)
	b := w.browser()
	b.tokens(a, user.Email)
	b.signOut()
	seen := map[string]bool{}
	for attempt, pause := range []time.Duration{0, 10 * time.Second, 30 * time.Second, 90 * time.Second,
		4 * time.Minute, 9 * time.Minute} {
		if pause > 0 {
			w.wait(pause / 2)
			w.deliver(0)
			w.wait(pause / 2)
		}
		w.deliver(1)
		seen[<-r.tokens] = true
		got := w.deliveries(a)[0]
		if got.Attempts != attempt+1 || got.LastStatus != 503 || got.Failure != "The client answered with status 503." ||
			!got.DeliveredAt.IsZero() {
			t.Errorf("after attempt %d the record says %+v", attempt+1, got)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d different tokens in 6 attempts", len(seen))
	}
	if got := w.deliveries(a)[0]; !got.NextAt.IsZero() {
		t.Errorf("it goes on at %s", got.NextAt)
	}
	w.wait(time.Hour)
	w.deliver(0)
}

func TestARetryThatSucceedsEndsTheDelivery(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person("user@example.test")
	r := newReceiver(t)
	a := w.listening(r)
	b := w.browser()
	b.tokens(a, user.Email)
	b.signOut()
	r.answer(http.StatusFound) // a redirect counts as a failure and is not followed
	w.deliver(1)
	if got := w.deliveries(a)[0]; got.LastStatus != 302 || got.Failure == "" || len(r.tokens) != 1 {
		t.Errorf("the record says %+v; %d requests", got, len(r.tokens))
	}
	r.answer(http.StatusNoContent)
	w.wait(time.Minute)
	w.deliver(1)
	if got := w.deliveries(a)[0]; got.Attempts != 2 || got.LastStatus != 204 || got.DeliveredAt.IsZero() {
		t.Errorf("the record says %+v", got)
	}
	w.wait(time.Hour)
	w.deliver(0)
}

// Rule: OUTBOUND-4
func TestAPrivateAddressIsNotCalledAndTheRecordSaysSo(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person("user@example.test")
	a := w.app(apps.Registration{BackchannelLogoutURI: "https://10.0.0.1/logout", Scopes: []string{"openid"}})
	b := w.browser()
	b.tokens(a, user.Email)
	b.signOut()
	w.deliver(1)
	if got := w.deliveries(a)[0]; got.LastStatus != 0 ||
		!strings.Contains(got.Failure, "10.0.0.1, which this server does not call") || !got.NextAt.IsZero() {
		t.Errorf("the record says %+v", got)
	}
	w.wait(time.Hour)
	w.deliver(0)
}

// Rule: LOGOUT-8
func TestReplicasDeliverOnceAndWhatACrashLeftBehind(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person("user@example.test")
		r := newReceiver(t)
		a := w.listening(r)
		const people = 10
		for range people {
			b := w.browser()
			b.tokens(a, user.Email)
			b.signOut() // and nothing is delivered by whoever answered this
		}
		replicas := []*world{newWorld(t, settings{database: database, beside: w}),
			newWorld(t, settings{database: database, beside: w})}
		var group sync.WaitGroup
		for _, replica := range replicas {
			group.Go(func() {
				if _, err := replica.Provider.LogoutDeliveries().DeliverDue(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		w.deliver(0)
		if len(r.tokens) != people {
			t.Errorf("%d requests for %d sessions", len(r.tokens), people)
		}
	})
}

func TestAHangingClientHoldsUpNobodyElse(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person("user@example.test")
	r := newReceiver(t)
	dead := httptest.NewServer(nil)
	dead.Close()
	gone := w.app(apps.Registration{BackchannelLogoutURI: dead.URL + "/", Scopes: []string{"openid"}})
	for range 9 {
		b := w.browser()
		b.tokens(gone, user.Email)
		b.signOut()
	}
	b := w.browser()
	b.tokens(w.listening(r), user.Email)
	b.signOut()
	due, err := w.Store.ListDueLogouts(t.Context(), w.ambient.Now(), 32, 4)
	w.must(err)
	if len(due) != 5 {
		t.Errorf("%d are in the first batch, want 4 of the one client and 1 of the other", len(due))
	}
	w.deliver(10)
	if got := w.deliveries(gone); len(got) != 9 || got[8].Failure != "No answer came." || got[8].Attempts != 1 {
		t.Errorf("the record says %+v", got)
	}
}

func TestTheWorkerDeliversRightAfterTheLogoutAndStopsWhenTold(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person("user@example.test")
	r := newReceiver(t)
	a := w.listening(r)
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		w.Provider.LogoutDeliveries().Run(ctx)
	}()
	b := w.browser()
	b.tokens(a, user.Email)
	b.signOut()
	select {
	case <-r.tokens:
	case <-time.After(30 * time.Second):
		t.Error("nothing came")
	}
	stop()
	<-stopped
}

func TestDiscoverySaysThatLogoutIsTold(t *testing.T) {
	w := newWorld(t, settings{})
	r, err := http.NewRequest(http.MethodGet, w.URL+"/.well-known/openid-configuration", nil)
	w.must(err)
	document := w.do(plain, r).JSON(t)
	for _, name := range []string{"backchannel_logout_supported", "backchannel_logout_session_supported"} {
		if document[name] != true {
			t.Errorf("%s is %v", name, document[name])
		}
	}
}
