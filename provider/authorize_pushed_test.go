package provider_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

const pushPath = "/authentication/v2/par"

// asking are the parameters of an authorize request for the client, changed.
func (w *world) asking(a app, pairs ...string) url.Values {
	to, err := url.Parse(w.authorizeURL(a, pairs...))
	w.must(err)
	return to.Query()
}

// push pushes an authorize request.
func (w *world) push(a app, pairs ...string) answer {
	w.Helper()
	return w.post(pushPath, a, w.asking(a, pairs...))
}

// goingOn is the address of authorize for a request that was pushed.
func (w *world) goingOn(a app, got answer) string {
	w.Helper()
	uri, _ := got.JSON(w)["request_uri"].(string)
	if got.Status != http.StatusCreated || uri == "" {
		w.Fatalf("status %d: %s", got.Status, got.Body)
	}
	return w.URL + "/authentication/v2/authorize?" + form("client_id", a.ID, "request_uri", uri).Encode()
}

// isPageOf holds a visit to our own page about a request that does not count.
func isPageOf(t *testing.T, name string, v visit) {
	t.Helper()
	if v.Away != nil || v.Status != http.StatusBadRequest || !strings.Contains(string(v.Body), `id="error-page"`) {
		t.Errorf("%s: status %d, sent to %v", name, v.Status, v.Away)
	}
}

// Rule: PAR-1
func TestAPushedRequestLeadsToACode(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		bySecret := w.app(apps.Registration{})
		byKey := w.keyed(jose.ES256)
		public := w.app(apps.Registration{Type: storage.ClientSPA})
		for name, one := range map[string]struct {
			app   app
			got   answer
			proof []string
		}{
			"by its secret": {bySecret, w.push(bySecret, "client_id", ""), nil},
			"by its key":    {byKey.app, w.post(pushPath, app{}, proven(w.asking(byKey.app), byKey.assertion(nil))), nil},
			"a public one":  {public, w.push(public, pkce...), []string{"code_verifier", verifier}},
		} {
			if one.got.Header.Get("Cache-Control") != "no-store" || one.got.JSON(t)["expires_in"] != 90.0 {
				t.Errorf("%s: %v %s", name, one.got.Header, one.got.Body)
			}
			b := w.browser()
			q := b.through(b.get(w.goingOn(one.app, one.got)), somebody).Away.Query()
			if q.Get("code") == "" || q.Get("state") != "some-state" || q.Get("iss") != w.URL {
				t.Errorf("%s: answer %v", name, q)
			}
			redemption := form("grant_type", "authorization_code", "code", q.Get("code"), "redirect_uri", callback)
			for i := 0; i < len(one.proof); i += 2 {
				redemption.Set(one.proof[i], one.proof[i+1])
			}
			if name == "by its key" {
				one.app, redemption = app{}, proven(redemption, byKey.assertion(nil))
				if got := w.post("/authentication/v2/token", app{}, redemption); got.Status != http.StatusOK {
					t.Errorf("%s: %s", name, got.Body)
				}
				continue
			}
			w.granted(one.app, redemption)
		}
	})
}

// Rules: PAR-1, TOKEN-1
func TestWhatCannotBePushed(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{RequirePKCE: true})
	nothing := w.asking(a, pkce...) // what has no value was not sent
	nothing["request_uri"], nothing["client_secret"] = []string{""}, []string{""}
	if got := w.post(pushPath, a, nothing); got.Status != http.StatusCreated {
		t.Fatalf("without a trick: %s", got.Body)
	}
	for name, c := range map[string]struct {
		pairs []string
		code  string
	}{
		"another request within":     {[]string{"request_uri", "urn:ietf:params:oauth:request_uri:x"}, "invalid_request"},
		"an unregistered address":    {[]string{"redirect_uri", callback + "/random"}, "invalid_request"},
		"no address to return to":    {[]string{"redirect_uri", ""}, "invalid_request"},
		"a type that does not exist": {[]string{"response_type", "none"}, "unsupported_response_type"},
		"no challenge":               {[]string{"code_challenge", "", "code_challenge_method", ""}, "invalid_request"},
		"a plain challenge":          {[]string{"code_challenge_method", "plain"}, "invalid_request"},
		"scopes of nobody":           {[]string{"scope", "nothing"}, "invalid_scope"},
		"a request object":           {[]string{"request", "e30.e30."}, "request_not_supported"},
		"far too much":               {[]string{"nonce", strings.Repeat("n", 9<<10)}, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			w.refused(w.push(a, append(slices.Clone(pkce), c.pairs...)...), http.StatusBadRequest, c.code)
		})
	}
	w.refused(w.push(app{a.Client, "wrong"}, pkce...), http.StatusUnauthorized, "invalid_client")
	w.refused(w.post(pushPath, app{}, w.asking(a, pkce...)), http.StatusUnauthorized, "invalid_client")
	w.refused(w.push(a, append(slices.Clone(pkce), "client_id", w.app(apps.Registration{}).ID)...),
		http.StatusBadRequest, "invalid_request")
	platform := w.app(apps.Registration{Profile: storage.ProfilePlatform})
	w.refused(w.push(platform, "client_id", ""), http.StatusBadRequest, "unauthorized_client")
	r, err := http.NewRequest(http.MethodGet, w.URL+pushPath, nil)
	w.must(err)
	if got := w.do(plain, r); got.Status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", got.Status)
	}
}

// Rule: PAR-2
func TestARequestURICountsForItsClientUntilItIsAnswered(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a, stranger := w.app(apps.Registration{}), w.app(apps.Registration{})
		b := w.browser()
		here := w.goingOn(a, w.push(a))
		isPageOf(t, "another client's", b.get(strings.Replace(here, a.ID, stranger.ID, 1)))
		isPageOf(t, "a changed one", b.get(here[:len(here)-4]+"AAAA"))
		isPageOf(t, "one that was never pushed", b.get(w.URL+"/authentication/v2/authorize?"+form("client_id", a.ID,
			"request_uri", "urn:ietf:params:oauth:request_uri:x").Encode()))
		parked := b.get(w.authorizeURL(a)).At.Query().Get("request")
		isPageOf(t, "the name of a parked request", b.get(w.URL+"/authentication/v2/authorize?"+form("client_id", a.ID,
			"request_uri", "urn:ietf:params:oauth:request_uri:"+parked).Encode()))
		for range 3 { // previews, reloads, and the same person in another window
			if v := b.get(here); v.At.Path != "/login" {
				t.Fatalf("on %s, %d", v.At, v.Status)
			}
		}
		v := b.submit(b.get(here), "login-form", form("username", somebody, "password", goodPassword))
		if back := b.get(here); back.At.Path != "/consent" {
			t.Errorf("back to the beginning after the sign-in: %s", back.At)
		}
		w.wait(10 * time.Minute) // the person takes their time; the request lives on
		if q := b.through(v, somebody).Away.Query(); q.Get("code") == "" {
			t.Errorf("answer %v", q)
		}
		isPageOf(t, "after the answer", b.get(here))

		late := w.goingOn(a, w.push(a))
		w.wait(80 * time.Second)
		if v := b.get(late); v.Away == nil {
			t.Errorf("before its end: on %s", v.At)
		}
		late = w.goingOn(a, w.push(a))
		w.wait(90 * time.Second)
		isPageOf(t, "after its end", b.get(late))

		again := w.goingOn(a, w.push(a))
		var all sync.WaitGroup
		answers := make(chan string, 20)
		for range cap(answers) {
			all.Go(func() {
				r, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, again, nil)
				if got, err := b.client.Do(r); err == nil {
					got.Body.Close()
					to, _ := url.Parse(got.Header.Get("Location"))
					answers <- to.Query().Get("code")
				}
			})
		}
		all.Wait()
		close(answers)
		codes := 0
		for code := range answers {
			if code != "" {
				codes++
			}
		}
		if codes != 1 {
			t.Errorf("%d codes for one pushed request", codes)
		}
	})
}

// Rule: PAR-3
func TestNothingCountsBesideARequestURI(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{RedirectURIs: []string{callback, callback + "/other"}})
		b := w.browser()
		here := w.goingOn(a, w.push(a)) + "&" + form("redirect_uri", callback+"/other", "scope",
			"openid email", "state", "another",
			"response_type", "id_token", "nonce", "n", "response_mode", "fragment", "prompt", "none").Encode()
		v := b.through(b.get(here), somebody)
		if v.Away == nil || v.Away.Path != "/callback" || v.Away.Query().Get("state") != "some-state" ||
			v.Away.Query().Get("code") == "" {
			t.Errorf("sent to %v, on %v", v.Away, v.At)
		}
		left := w.goingOn(a, w.push(a))
		_, err := w.Apps.Update(t.Context(), w.act(), a.ID, apps.Change{RedirectURIs: &[]string{callback + "/other"}})
		w.must(err)
		w.wait(clientLag)
		isPageOf(t, "an address that is registered no more", b.get(left))
	})
}

// Rule: PAR-4
func TestAClientMayHaveToPushItsRequests(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{ClientSecurity: storage.ClientSecurity{RequirePushed: true}})
		b := w.browser()
		if v := b.get(w.authorizeURL(a)); v.Away == nil || v.Away.Query().Get("error") != "invalid_request" ||
			v.Away.Query().Get("state") != "some-state" {
			t.Errorf("a request that was not pushed: %v, on %v", v.Away, v.At)
		}
		if v := b.through(b.get(w.goingOn(a, w.push(a))), somebody); v.Away == nil || v.Away.Query().Get("code") == "" {
			t.Errorf("a pushed one: %v, on %v", v.Away, v.At)
		}
	})
}

// writes counts what the store is asked to write for an authorize request.
type writes struct {
	provider.Store
	mu  sync.Mutex
	all []string
}

func (s *writes) note(act string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, act)
}

func (s *writes) ParkLoginRequest(ctx context.Context, r storage.LoginRequest) error {
	s.note("park")
	return s.Store.ParkLoginRequest(ctx, r)
}

func (s *writes) AnswerLoginRequest(ctx context.Context, id string, at time.Time) error {
	s.note("answer")
	return s.Store.AnswerLoginRequest(ctx, id, at)
}

func (s *writes) IssueCode(ctx context.Context, code storage.AuthorizeCode, consented []string, request string) error {
	s.note("issue")
	return s.Store.IssueCode(ctx, code, consented, request)
}

// Rule: PAR-5
func TestPushingWritesNoMoreThanAuthorize(t *testing.T) {
	counted := &writes{}
	w := newWorld(t, settings{over: func(s *sqlstore.Store) provider.Store {
		counted.Store = s
		return counted
	}})
	w.person(somebody)
	a := w.app(apps.Registration{})
	for _, first := range []func() string{
		func() string { return w.authorizeURL(a) },
		func() string { return w.goingOn(a, w.push(a)) },
	} {
		counted.all = nil
		b := w.browser()
		if v := b.through(b.get(first()), somebody); v.Away == nil {
			t.Fatalf("on %s", v.At)
		}
		if diff := cmp.Diff([]string{"park", "issue"}, counted.all); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}
