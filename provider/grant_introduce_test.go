package provider_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const (
	idType      = "urn:ietf:params:oauth:token-type:id_token"
	refreshType = "urn:ietf:params:oauth:token-type:refresh_token"
	accessType  = "urn:ietf:params:oauth:token-type:access_token"
	jagType     = "urn:ietf:params:oauth:token-type:id-jag"
	chatServer  = "https://chat.example.test"
)

// desk is an app that a person has signed in to, and that introduces them elsewhere.
type desk struct {
	*world
	app    app
	user   storage.User
	person *browser
	tokens map[string]any
}

func (w *world) desk(lines ...string) desk {
	w.Helper()
	r := apps.Registration{Scopes: []string{"openid", "email", "data:read"}}
	r.IntroducesTo = append([]string{chatServer + " app-there chat:read chat:write"}, lines...)
	d := desk{world: w, app: w.app(r), user: w.person(somebody), person: w.browser()}
	d.tokens = d.person.tokens(d.app, somebody, "scope", "openid email data:read")
	return d
}

// asking is the form by which the app asks, with the pairs over it; "" leaves one out.
func (d desk) asking(pairs ...string) url.Values {
	f := form("grant_type", exchange, "requested_token_type", jagType, "subject_token_type", idType,
		"subject_token", d.tokens["id_token"].(string), "audience", chatServer)
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			f.Del(pairs[i])
		}
	}
	return f
}

func (d desk) introduce(pairs ...string) answer {
	d.Helper()
	return d.world.token(d.app, d.asking(pairs...))
}

// Rules: IDJAG-1, IDJAG-2
func TestAnAppIntroducesThePersonWhoSignedInToIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.desk()
		w.wait(2 * time.Minute)
		for subject, pairs := range map[string][]string{
			"its ID token":      nil,
			"its refresh token": {"subject_token_type", refreshType, "subject_token", d.tokens["refresh_token"].(string)},
		} {
			got := d.introduce(append(pairs, "resource", "https://api.chat.example.test/", "scope", "chat:read")...)
			if got.Status != http.StatusOK {
				t.Fatalf("%s: %d %s", subject, got.Status, got.Body)
			}
			body := got.JSON(t)
			claims := payload(t, body["access_token"])
			now := float64(w.ambient.Now().Unix())
			if lives := claims["exp"].(float64) - now; lives < 290 || lives > 300 || claims["iat"].(float64) > now ||
				claims["jti"] == "" || body["expires_in"].(float64) > 300 {
				t.Errorf("%s: %v at %v", subject, claims, now)
			}
			signedIn := idTokenClaims(t, d.tokens)
			for _, name := range []string{"exp", "iat", "jti"} {
				delete(claims, name)
			}
			want := map[string]any{"iss": w.URL, "sub": d.user.ID, "aud": chatServer, "client_id": "app-there",
				"resource": "https://api.chat.example.test/", "scope": "chat:read", "auth_time": signedIn["auth_time"],
				"acr": signedIn["acr"], "amr": signedIn["amr"], "email": somebody, "email_verified": true}
			if diff := cmp.Diff(want, claims); diff != "" {
				t.Errorf("%s: -want +got:\n%s", subject, diff)
			}
			delete(body, "access_token")
			delete(body, "expires_in")
			if diff := cmp.Diff(map[string]any{"issued_token_type": jagType, "token_type": "N_A", "scope": "chat:read"},
				body); diff != "" {
				t.Errorf("%s: -want +got:\n%s", subject, diff)
			}
		}
		if got := payload(t, d.introduce().JSON(t)["access_token"])["scope"]; got != "chat:read chat:write" {
			t.Errorf("without a scope: %v", got)
		}
		events, _, err := w.Store.ListAudit(t.Context(), storage.AuditFilter{Kind: "token.exchanged"}, storage.PageRequest{})
		if w.must(err); len(events) != 3 || events[0].Act.Actor.ID != d.app.ID || events[0].Subject != d.user.ID {
			t.Errorf("audited: %+v", events)
		}
	})
}

// Rule: IDJAG-2
func TestWhatIsNotForTheOtherServerIsRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.desk()
		other := w.app(apps.Registration{Scopes: []string{"openid"},
			ClientExchange: storage.ClientExchange{IntroducesTo: []string{chatServer + " x"}}})
		foreign := d.person.tokens(other, somebody, "scope", "openid")
		twice := d.asking()
		twice.Add("audience", chatServer)
		exchanger := w.app(apps.Registration{Type: storage.ClientService,
			ClientExchange: storage.ClientExchange{ExchangeFor: []string{w.URL}}})
		stranger := w.app(apps.Registration{})
		refresh := d.tokens["refresh_token"].(string)
		for name, refused := range map[string]struct {
			got  answer
			code string
		}{
			"another server":                {d.introduce("audience", "https://other.example.test"), "invalid_target"},
			"its address with a slash":      {d.introduce("audience", chatServer+"/"), "invalid_target"},
			"no server":                     {d.introduce("audience", ""), "invalid_target"},
			"this server":                   {d.introduce("audience", w.URL), "invalid_target"},
			"two servers":                   {w.token(d.app, twice), "invalid_target"},
			"a resource without an address": {d.introduce("resource", "chat"), "invalid_target"},
			"a wider scope":                 {d.introduce("scope", "chat:read admin"), "invalid_scope"},
			"no token":                      {d.introduce("subject_token", ""), "invalid_request"},
			"a token that is none":          {d.introduce("subject_token", "x.y.z"), "invalid_request"},
			"an access token": {d.introduce("subject_token", d.tokens["access_token"].(string)),
				"invalid_request"},
			"the type of access tokens": {d.introduce("subject_token_type", accessType), "invalid_request"},
			"no type":                   {d.introduce("subject_token_type", ""), "invalid_request"},
			"another's ID token":        {d.introduce("subject_token", foreign["id_token"].(string)), "invalid_request"},
			"another's refresh token": {d.introduce("subject_token_type", refreshType, "subject_token",
				foreign["refresh_token"].(string)), "invalid_request"},
			"a refresh token as an ID token": {d.introduce("subject_token", refresh), "invalid_request"},
			"an assertion as an ID token": {d.introduce("subject_token",
				d.introduce().JSON(t)["access_token"].(string)), "invalid_request"},
			"an actor": {d.introduce("actor_token", refresh, "actor_token_type", refreshType),
				"invalid_request"},
			"an app that introduces nobody": {w.token(stranger, d.asking()), "unauthorized_client"},
			"one that exchanges alone":      {w.token(exchanger, d.asking()), "invalid_target"},
			"an access token instead": {w.token(d.app, form("grant_type", exchange, "subject_token_type", accessType,
				"subject_token", d.tokens["access_token"].(string), "resource", w.URL)), "invalid_target"},
		} {
			if refused.got.Status != http.StatusBadRequest || refused.got.JSON(t)["error"] != refused.code {
				t.Errorf("%s: %d %s, want %s", name, refused.got.Status, refused.got.Body, refused.code)
			}
		}
		w.granted(d.app, form("grant_type", "refresh_token", "refresh_token", refresh))
		w.refused(d.introduce("subject_token_type", refreshType, "subject_token", refresh), http.StatusBadRequest,
			"invalid_request")
		if got := d.introduce(); got.Status != http.StatusOK {
			t.Errorf("the good one: %d %s", got.Status, got.Body)
		}
		w.wait(2 * time.Hour)
		w.refused(d.introduce(), http.StatusBadRequest, "invalid_request") // the ID token is over
	})
}

// Rule: IDJAG-3
func TestAnIntroductionIsBoundAsTheSignInWas(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.desk()
		key := w.key(jose.ES256)
		got := payload(t, w.proven(d.app, key, d.asking()).JSON(t)["access_token"])
		if diff := cmp.Diff(map[string]any{"jkt": key.Thumbprint()}, got["cnf"]); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		code := d.person.code(d.app, somebody, "scope", "openid email data:read")
		d.tokens = w.proven(d.app, key, redemption(d.app, code)).JSON(t)
		bound := func() url.Values {
			return d.asking("subject_token_type", refreshType, "subject_token", d.tokens["refresh_token"].(string))
		}
		w.refused(w.token(d.app, bound()), http.StatusBadRequest, "invalid_grant")
		if got := w.proven(d.app, key, bound()); got.Status != http.StatusOK {
			t.Errorf("with the key: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: IDJAG-4
func TestWhoIsTooWeaklyProvenIsNotIntroduced(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.desk()
		_, err := w.Apps.Update(t.Context(), w.act(), d.app.ID, apps.Change{SecondFactor: new(true), ByAdministrator: true})
		w.must(err)
		w.wait(clientLag)
		w.refused(d.introduce(), http.StatusBadRequest, "insufficient_user_authentication")
		_, err = w.Apps.Update(t.Context(), w.act(), d.app.ID, apps.Change{SecondFactor: new(false), ByAdministrator: true})
		w.must(err)
		w.wait(clientLag)
		if got := d.introduce(); got.Status != http.StatusOK {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	})
}

// Rule: IDJAG-5
func TestNobodyIsIntroducedAnyMore(t *testing.T) {
	eachDatabase(t, func(t *testing.T, anew func(testing.TB) string) {
		ends := map[string]func(d desk) error{
			"the person is disabled": func(d desk) error {
				return d.Store.SetUserDisabled(d.Context(), d.act(), d.user.ID, true)
			},
			"the person is deleted": func(d desk) error { return d.Store.DeleteUser(d.Context(), d.act(), d.user.ID) },
			"the person signs out everywhere": func(d desk) error {
				return d.Store.EndSessions(d.Context(), d.act(), d.user.ID, "")
			},
			"the person takes the consent back": func(d desk) error {
				return d.Store.WithdrawConsent(d.Context(), d.act(), d.user.ID, d.app.ID)
			},
			"the grant is revoked": func(d desk) error {
				return d.Store.RevokeGrant(d.Context(), d.act(), payload(d, d.tokens["access_token"])["gid"].(string))
			},
			"the client is disabled": func(d desk) error {
				return d.Store.SetClientDisabled(d.Context(), d.act(), d.app.ID, true)
			},
			"the client is for others": func(d desk) error {
				_, err := d.Apps.Update(d.Context(), d.act(), d.app.ID,
					apps.Change{Restricted: new(true), ByAdministrator: true})
				return err
			},
			"the client may not any more": func(d desk) error {
				_, err := d.Apps.Update(d.Context(), d.act(), d.app.ID,
					apps.Change{IntroducesTo: &[]string{}, ByAdministrator: true})
				return err
			},
			"the client is called otherwise there": nil,
		}
		for name, end := range ends {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, settings{database: anew(t)})
				d := w.desk()
				refresh := []string{"subject_token_type", refreshType, "subject_token", d.tokens["refresh_token"].(string)}
				if end != nil {
					w.must(end(d))
				}
				w.Provider.ForgetClients()
				w.wait(time.Second)
				for _, pairs := range [][]string{nil, refresh} {
					if got := d.introduce(pairs...); (got.Status == http.StatusOK) != (end == nil) {
						t.Errorf("%v: %d %s", pairs, got.Status, got.Body)
					}
				}
			})
		}
	})
}

// Rule: IDJAG-5
func TestAnIDTokenCountsAsLongAsItsSession(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.desk()
		sid := idTokenClaims(t, d.tokens)["sid"].(string)
		w.must(w.Store.EndSession(t.Context(), w.act(), sid))
		w.refused(d.introduce(), http.StatusBadRequest, "invalid_request")
		if got := d.introduce("subject_token_type", refreshType, "subject_token", d.tokens["refresh_token"].(string)); got.
			Status != http.StatusOK {
			t.Errorf("what was allowed for longer: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: IDJAG-6
func TestOnePorticoTakesInWhomAnotherIntroduces(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		there, here := newWorld(t, settings{}), newWorld(t, settings{database: database, machines: true})
		staff := there.person("one@works.test")
		signIn := there.app(apps.Registration{RedirectURIs: []string{here.Upstreams.RedirectURI("works")}})
		here.upstream("works", there.URL, signIn.ID, signIn.Secret, "scopes", "openid,email,profile")
		service := here.app(apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read", "data:write"}})
		here.set("works", "assertion_clients", service.ID)
		here.resource(orders)
		d := desk{world: there, user: staff, person: there.browser()}
		d.app = there.app(apps.Registration{Scopes: []string{"openid"}, ClientExchange: storage.ClientExchange{
			IntroducesTo: []string{here.URL + " " + service.ID + " data:read read"}}})
		d.tokens = d.person.tokens(d.app, "one@works.test", "scope", "openid")
		asked := []string{"audience", here.URL, "scope", "data:read"}
		present := func(assertion any) answer {
			return here.token(service, form("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer",
				"assertion", assertion.(string)))
		}
		unknown := d.introduce(asked...).JSON(t)["access_token"]
		here.refused(present(unknown), http.StatusBadRequest, "invalid_grant") // nobody here yet

		b := here.browser()
		out := b.get(b.URL + "/login/upstream/works")
		away := d.person.through(d.person.get(out.Away.String()), "one@works.test")
		if b.get(away.Away.String()); !b.isSignedIn() {
			t.Fatal("nobody signed in")
		}
		got := present(d.introduce(asked...).JSON(t)["access_token"])
		if got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		claims := payload(t, got.JSON(t)["access_token"])
		if claims["iss"] != here.URL || claims["client_id"] != service.ID || claims["scope"] != "data:read" ||
			claims["sub"] == staff.ID {
			t.Errorf("%v", claims)
		}
		if _, err := here.Bearer.Check(t.Context(), got.JSON(t)["access_token"].(string)); err != nil {
			t.Error(err)
		}
		again := present(d.introduce("audience", here.URL, "scope", "read", "resource", orders).JSON(t)["access_token"])
		here.is(again.JSON(t), []string{orders}, "read")
		here.must(here.Store.SetUpstreamDisabled(t.Context(), here.act(), "works", true))
		here.wait(time.Second)
		if _, err := here.Bearer.Check(t.Context(), got.JSON(t)["access_token"].(string)); err == nil {
			t.Error("the upstream is off, and its word still counts")
		}
	})
}

// Rule: IDJAG-1
func TestAnIntroductionTellsNoAddressThatTheAppMaySeeNoMore(t *testing.T) {
	w := newWorld(t, settings{})
	d := w.desk()
	_, err := w.Apps.Update(t.Context(), w.act(), d.app.ID, apps.Change{Scopes: &[]string{"openid", "data:read"}})
	w.must(err)
	w.wait(clientLag)
	told := payload(t, w.granted(d.app, d.asking())["access_token"])
	if told["email"] != nil || told["sub"] != d.user.ID {
		t.Errorf("told: %v", told)
	}
}
