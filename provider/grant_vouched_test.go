package provider_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"maps"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// company is an upstream that vouches for one of its people to an app.
type company struct {
	*liar
	app  app
	user storage.User
}

func (w *world) company(pairs ...string) company {
	w.Helper()
	a := w.app(apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read", "data:write"}})
	l := w.liar("works", append(pairs, "assertion_clients", a.ID)...)
	c := company{l, a, w.person(somebody)}
	w.must(w.Store.LinkIdentity(w.Context(), w.act(), c.identity()))
	return c
}

func (c company) identity() storage.UpstreamIdentity {
	return storage.UpstreamIdentity{UpstreamID: "works", Issuer: c.URL, Subject: "their-name", UserID: c.user.ID,
		LinkedAt: c.ambient.Now()}
}

// vouch is an assertion that says what the pairs say over a good one.
func (c company) vouch(changes map[string]any) string {
	return c.vouchAs(c.key, "oauth-id-jag+jwt", changes)
}

func (c company) vouchAs(key *rsa.PrivateKey, typ string, changes map[string]any) string {
	c.Helper()
	now := c.ambient.Now()
	claims := map[string]any{"iss": c.URL, "sub": "their-name", "aud": c.world.URL, "client_id": c.app.ID, "jti": "1",
		"iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(), "scope": "data:read", "auth_time": now.Unix()}
	maps.Copy(claims, changes)
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}},
		(&jose.SignerOptions{}).WithType(jose.ContentType(typ)))
	c.must(err)
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	c.must(err)
	return text
}

func (c company) presents(assertion string, pairs ...string) answer {
	c.Helper()
	f := form("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion", assertion)
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return c.world.token(c.app, f)
}

// An assertion need not say when the person signed in: it counts as of whoever arrives so.
//
// Rules: VOUCH-1, FED-28
func TestAnUpstreamVouchesForWhomItTellsNoTimeOf(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, machines: true})
		c := w.company()
		if got := c.presents(c.vouch(map[string]any{"auth_time": nil})); got.Status != http.StatusOK {
			t.Errorf("for our own APIs: %d %s", got.Status, got.Body)
		}
		for resource, lately := range map[string]time.Duration{orders: 30 * time.Minute, billing: 5 * time.Minute} {
			w.resource(resource, func(r *storage.Resource) { r.MaxAge = lately })
			got := c.presents(c.vouch(map[string]any{"auth_time": nil, "jti": w.ambient.UID(), "resource": resource,
				"scope": "read"}))
			if resource == billing {
				w.refused(got, http.StatusBadRequest, "invalid_grant")
				continue
			}
			claims := payload(t, got.JSON(t)["access_token"])
			if now := float64(w.ambient.Now().Unix()); claims["auth_time"].(float64) > now-600 {
				t.Errorf("at %f the token says %v", now, claims["auth_time"])
			}
		}
	})
}

// Rule: VOUCH-1
func TestAnAppActsForAPersonWhomTheirCompanyVouchesFor(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, machines: true})
		c := w.company("trust_mfa", "true")
		w.resource(orders)
		got := c.presents(c.vouch(map[string]any{"amr": []string{"mfa"}}))
		if got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		body := got.JSON(t)
		claims := payload(t, body["access_token"])
		if claims["sub"] != c.user.ID || claims["client_id"] != c.app.ID || claims["scope"] != "data:read" ||
			claims["acr"] != storage.ACRTwoFactors || body["refresh_token"] != nil || body["id_token"] != nil {
			t.Errorf("%v: %v", body, claims)
		}
		if got := w.userInfo(body["access_token"].(string)); got.Status != http.StatusForbidden {
			t.Errorf("without openid: %d", got.Status)
		}
		if _, err := w.Bearer.Check(t.Context(), body["access_token"].(string)); err != nil {
			t.Error(err)
		}
		again := c.presents(c.vouch(map[string]any{"scope": "openid read admin data:read", "resource": orders}))
		w.is(again.JSON(t), []string{orders}, "read")
		w.is(c.presents(c.vouch(map[string]any{"scope": nil}), "resource", orders, "scope", "write").JSON(t),
			[]string{orders}, "write")
	})
}

// Rule: VOUCH-2
func TestAnAssertionThatIsNotAnUpstreamsWordToTheClientIsRefused(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, machines: true})
		c := w.company()
		w.resource(orders)
		w.resource(billing)
		foreign, err := rsa.GenerateKey(rand.Reader, 2048)
		w.must(err)
		now := w.ambient.Now()
		refused := func(name string, got answer, code string) {
			t.Helper()
			if got.Status != http.StatusBadRequest || got.JSON(t)["error"] != code {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		for name, changes := range map[string]map[string]any{
			"another issuer":        {"iss": "https://other.example.test"},
			"we ourselves":          {"iss": w.URL},
			"another server":        {"aud": "https://other.example.test"},
			"several servers":       {"aud": []string{w.URL, "https://other.example.test"}},
			"the token endpoint":    {"aud": w.URL + "/authentication/v2/token"},
			"another client":        {"client_id": "other"},
			"no client":             {"client_id": nil},
			"nobody":                {"sub": nil},
			"a stranger":            {"sub": "stranger"},
			"no name":               {"jti": nil},
			"no end":                {"exp": nil},
			"no beginning":          {"iat": nil},
			"over":                  {"exp": now.Add(-2 * time.Minute).Unix()},
			"of tomorrow":           {"iat": now.Add(time.Hour).Unix()},
			"for too long":          {"exp": now.Add(time.Hour).Unix()},
			"bound to a key":        {"cnf": map[string]any{"jkt": "of a key"}},
			"to a certificate":      {"cnf": map[string]any{"x5t#S256": "of a certificate"}},
			"to a key that it has":  {"cnf": map[string]any{"jwk": map[string]any{"kty": "EC"}}},
			"to both":               {"cnf": map[string]any{"jkt": "of a key", "x5t#S256": "of a certificate"}},
			"to no key":             {"cnf": map[string]any{"jkt": ""}},
			"to nothing":            {"cnf": map[string]any{}},
			"to text":               {"cnf": "of a key"},
			"of a tenant, no text":  {"sub": 7},
			"of nobody's directory": {"sub": "their-name", "iss": c.URL + "/"},
		} {
			refused(name, c.presents(c.vouch(changes)), "invalid_grant")
		}
		refused("another key", c.presents(c.vouchAs(foreign, "oauth-id-jag+jwt", nil)), "invalid_grant")
		for _, typ := range []string{"JWT", "at+jwt", "logout+jwt", "dpop+jwt", "client-authentication+jwt"} {
			if got := c.presents(c.vouchAs(c.key, typ, nil)); got.Status/100 != 4 {
				t.Errorf("typ %s: %d %s", typ, got.Status, got.Body)
			}
		}
		refused("a scope more", c.presents(c.vouch(nil), "scope", "data:read data:write"), "invalid_scope")
		refused("no scope of the client", c.presents(c.vouch(map[string]any{"scope": "twins:read"})), "invalid_scope")
		refused("another resource", c.presents(c.vouch(map[string]any{"resource": orders, "scope": "read"}),
			"resource", billing), "invalid_target")
		refused("an unknown resource", c.presents(c.vouch(map[string]any{"resource": "https://x.example.test"})),
			"invalid_target")
		other := c
		other.app = w.app(apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read"}})
		refused("a client that the upstream vouches to for nobody", other.presents(other.vouch(nil)), "invalid_grant")
		public := w.app(apps.Registration{Type: storage.ClientNative, Scopes: []string{"data:read"}})
		if got := w.token(public, form("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion",
			c.vouch(map[string]any{"client_id": public.ID}))); got.Status/100 != 4 {
			t.Errorf("a public client: %d %s", got.Status, got.Body)
		}
		_, err = w.Apps.Update(t.Context(), w.act(), c.app.ID, apps.Change{SecondFactor: new(true), ByAdministrator: true})
		w.must(err)
		w.wait(clientLag)
		refused("one factor where two are demanded", c.presents(c.vouch(nil)), "invalid_grant")
		_, err = w.Apps.Update(t.Context(), w.act(), c.app.ID, apps.Change{SecondFactor: new(false), ByAdministrator: true})
		w.must(err)
		w.wait(clientLag)
		if got := c.presents(c.vouch(nil)); got.Status != http.StatusOK {
			t.Errorf("a good one: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: VOUCH-3
func TestWhateverEndsAnArrivalEndsWhatWasVouchedFor(t *testing.T) {
	for name, end := range map[string]func(c company, token map[string]any) error{
		"the person is disabled": func(c company, _ map[string]any) error {
			return c.Store.SetUserDisabled(c.Context(), c.act(), c.user.ID, true)
		},
		"the person is signed out everywhere": func(c company, _ map[string]any) error {
			return c.Store.EndSessions(c.Context(), c.act(), c.user.ID, "")
		},
		"the client is disabled": func(c company, _ map[string]any) error {
			return c.Store.SetClientDisabled(c.Context(), c.act(), c.app.ID, true)
		},
		"the client is for others": func(c company, _ map[string]any) error {
			_, err := c.Apps.Update(c.Context(), c.act(), c.app.ID,
				apps.Change{Restricted: new(true), ByAdministrator: true})
			return err
		},
		"the upstream is disabled": func(c company, _ map[string]any) error {
			return c.Store.SetUpstreamDisabled(c.Context(), c.act(), "works", true)
		},
		"the upstream says that they are gone": func(c company, _ map[string]any) error {
			return c.Store.EndIdentity(c.Context(), c.act(), c.identity())
		},
		"the grant is revoked": func(c company, token map[string]any) error {
			return c.Store.RevokeGrant(c.Context(), c.act(), token["gid"].(string))
		},
		"the client revokes it": func(c company, token map[string]any) error {
			c.post("/authentication/v2/revoke", c.app, url.Values{"token": {token["text"].(string)}})
			return nil
		},
	} {
		eachEngine(t, func(t *testing.T, database string) {
			w := newWorld(t, settings{database: database, machines: true})
			c := w.company()
			text := c.presents(c.vouch(nil)).JSON(t)["access_token"].(string)
			if _, err := w.Bearer.Check(t.Context(), text); err != nil {
				t.Fatalf("%s: before: %v", name, err)
			}
			claims := payload(t, text)
			claims["text"] = text
			w.must(end(c, claims))
			w.Provider.ForgetClients()
			w.wait(time.Second)
			if _, err := w.Bearer.Check(t.Context(), text); err == nil {
				t.Errorf("%s: it is still good", name)
			}
			if name == "the grant is revoked" || name == "the client revokes it" ||
				name == "the person is signed out everywhere" {
				return // their company vouches for them again
			}
			if got := c.presents(c.vouch(nil)); got.Status == http.StatusOK {
				t.Errorf("%s: it gives another", name)
			}
		})
	}
}

// hasty is a store before which something comes just as a grant is kept.
type hasty struct {
	*sqlstore.Store
	first func()
}

func (h *hasty) OpenGrant(ctx context.Context, act storage.Act, grant storage.Grant, judgedBy time.Time) error {
	if first := h.first; first != nil {
		h.first = nil
		first()
	}
	return h.Store.OpenGrant(ctx, act, grant, judgedBy)
}

// Rules: VOUCH-3, VOUCH-4
func TestNothingIsGivenInTheMomentInWhichVouchingEnds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, anew func(testing.TB) string) {
		for name, of := range map[string]struct {
			ends  func(c company) error
			twice bool // the next word counts
		}{
			"nothing": {nil, true},
			"the upstream is told something else": {func(c company) error {
				_, err := c.Upstreams.Set(c.Context(), c.act(), "works", "", upstreams.Change{"name": "Works"})
				return err
			}, true},
			"the upstream vouches no more": {func(c company) error {
				_, err := c.Upstreams.Set(c.Context(), c.act(), "works", "", upstreams.Change{"assertion_clients": ""})
				return err
			}, false},
			"the upstream is disabled": {func(c company) error {
				return c.Store.SetUpstreamDisabled(c.Context(), c.act(), "works", true)
			}, false},
			"the upstream is gone": {func(c company) error {
				return c.Store.DeleteUpstream(c.Context(), c.act(), "works")
			}, false},
			"the person is gone there": {func(c company) error {
				return c.Store.EndIdentity(c.Context(), c.act(), c.identity())
			}, false},
			"the person is disabled": {func(c company) error {
				return c.Store.SetUserDisabled(c.Context(), c.act(), c.user.ID, true)
			}, false},
			"the person has a second factor": {func(c company) error {
				c.guards(c.user)
				return nil
			}, false},
			"the client is disabled": {func(c company) error {
				return c.Store.SetClientDisabled(c.Context(), c.act(), c.app.ID, true)
			}, false},
		} {
			store := &hasty{}
			w := newWorld(t, settings{database: anew(t), machines: true,
				over: func(s *sqlstore.Store) provider.Store { store.Store = s; return store }})
			c := w.company()
			if of.ends != nil {
				store.first = func() { w.must(of.ends(c)) }
				w.refused(c.presents(c.vouch(nil)), http.StatusBadRequest, "invalid_grant")
			}
			w.Provider.ForgetClients()
			if got := c.presents(c.vouch(nil)); (got.Status == http.StatusOK) != of.twice {
				t.Errorf("%s: the next is %d %s", name, got.Status, got.Body)
			}
		}
	})
}

// Rule: VOUCH-4
func TestAnUpstreamThatIsNotToldToVouchesToNobody(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, machines: true})
		c := w.company()
		before := c.presents(c.vouch(nil)).JSON(t)["access_token"].(string)
		_, err := w.Bearer.Check(t.Context(), before)
		w.must(err)
		_, err = w.Upstreams.Set(t.Context(), w.act(), "works", "", upstreams.Change{"assertion_clients": ""})
		w.must(err)
		w.wait(time.Second)
		if _, err := w.Bearer.Check(t.Context(), before); err == nil {
			t.Error("a token of before is still good")
		}
		w.refused(c.presents(c.vouch(nil)), http.StatusBadRequest, "invalid_grant")
	})
}

// Rule: VOUCH-5
func TestAnAppThatPresentsAnUpstreamsWordAndCanNotBeProvenIsToldSoInTheWordsOfOAuth(t *testing.T) {
	w := newWorld(t, settings{machines: true})
	c := w.company()
	c.app.Secret = "wrong"
	w.refused(c.presents(c.vouch(nil)), http.StatusUnauthorized, "invalid_client")
	w.refused(c.presents(c.vouchAs(c.key, "JWT", nil)), http.StatusUnauthorized, "invalid_credentials") // S1 7.2
}
