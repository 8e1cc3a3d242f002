package provider_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/portico-id/portico/internal/term"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage"
)

// issuing is somebody who is about to ask for a token, and what that rests on.
type issuing struct {
	asks     func() answer
	app      app // who asks
	front    app // by whom it was sent the token that it shows; empty: by nobody
	user     storage.User
	resource storage.Resource // that the token is to be for; empty: our own APIs
	machine  serviceaccounts.Ref
	key      string // of the machine
	upstream string
	demanded *atomic.Bool // whether everybody must have a second factor
}

// wayOut is one way on which something is issued.
type wayOut struct {
	grant string // grant_type; "" for what authorize itself gives
	once  bool   // of many who ask at once one gets something
	ready func(w *world) issuing
}

// everyWayOut are all of them: TestEveryGrantIsOneOfTheWaysOut says which may not be missing.
var everyWayOut = map[string]wayOut{
	"a code by the pages":            {"authorization_code", true, (*world).outByPages},
	"a code by a pushed request":     {"authorization_code", true, (*world).outByPushed},
	"a code by a signed request":     {"authorization_code", true, (*world).outBySigned},
	"a code for a resource":          {"authorization_code", true, (*world).outForResource},
	"a code of who came by upstream": {"authorization_code", true, (*world).outByUpstream},
	"a refresh token":                {"refresh_token", false, (*world).outByRefresh},
	"a refresh token for a resource": {"refresh_token", false, (*world).outByRefreshForResource},
	"a refresh token by an upstream": {"refresh_token", false, (*world).outByRefreshOfUpstream},
	"a device":                       {deviceGrant, true, (*world).outByDevice},
	"an exchange":                    {exchange, false, (*world).outByExchange},
	"an introduction by a sign-in":   {exchange, false, (*world).outByIntroduction},
	"an introduction by a refresh":   {exchange, false, (*world).outByIntroductionOfRefresh},
	"a company's word":               {bearerGrant, false, (*world).outByVouching},
	"a service account":              {bearerGrant, true, (*world).outByMachine},
	"an app by itself":               {"client_credentials", false, (*world).outByItself},
	"an app for a resource":          {"client_credentials", false, (*world).outByItselfForResource},
	"an ID token by the browser":     {"implicit", false, (*world).outByBrowser},
	"a code by what was allowed":     {"", false, (*world).outByRemembered},
}

const bearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

// ending is what ends the ground of something that is to be issued, where there is that ground.
type ending struct {
	ground func(i issuing) bool
	ends   func(w *world, i issuing) error
}

func anything(issuing) bool     { return true }
func person(i issuing) bool     { return i.user.ID != "" }
func ofResource(i issuing) bool { return i.resource.ID != "" }
func ofUpstream(i issuing) bool { return i.upstream != "" }
func ofMachine(i issuing) bool  { return i.key != "" }

// changed changes the app by an administrator.
func (w *world) changed(i issuing, c apps.Change) error {
	c.ByAdministrator = true
	_, err := w.Apps.Update(w.Context(), w.act(), i.app.ID, c)
	return err
}

var everyEnd = map[string]ending{
	"the person is disabled": {person, func(w *world, i issuing) error {
		return w.Store.SetUserDisabled(w.Context(), w.act(), i.user.ID, true)
	}},
	"the person is gone": {person, func(w *world, i issuing) error {
		return w.Store.DeleteUser(w.Context(), w.act(), i.user.ID)
	}},
	"the app is disabled": {anything, func(w *world, i issuing) error {
		return w.Store.SetClientDisabled(w.Context(), w.act(), i.app.ID, true)
	}},
	"the app is gone": {anything, func(w *world, i issuing) error {
		return w.Store.DeleteClient(w.Context(), w.act(), i.app.ID)
	}},
	"the app is for others": {person, func(w *world, i issuing) error {
		return w.changed(i, apps.Change{Restricted: new(true)})
	}},
	"the app demands a second factor": {person, func(w *world, i issuing) error {
		return w.changed(i, apps.Change{SecondFactor: new(true)})
	}},
	"the app demands a second factor that the person signed in to": {
		func(i issuing) bool { return i.front.ID != "" },
		func(w *world, i issuing) error {
			i.app = i.front
			return w.changed(i, apps.Change{SecondFactor: new(true)})
		},
	},
	"the resource demands two factors that the token was sent to": {
		func(i issuing) bool { return i.front.ID != "" },
		func(w *world, i issuing) error {
			w.demands(w.registeredAs(orders), storage.ACRTwoFactors, 0)
			return nil
		},
	},
	"a second factor is demanded of everybody": {person, func(_ *world, i issuing) error {
		i.demanded.Store(true)
		return nil
	}},
	"the app has another scope": {
		func(i issuing) bool { return !ofResource(i) && len(i.app.IntroducesTo) == 0 },
		func(w *world, i issuing) error { return w.changed(i, apps.Change{Scopes: &[]string{"data:create"}}) },
	},
	"the resource is disabled": {ofResource, func(w *world, i issuing) error {
		return w.Store.SetResourceDisabled(w.Context(), w.act(), i.resource.ID, true)
	}},
	"the resource is gone": {ofResource, func(w *world, i issuing) error {
		return w.Store.DeleteResource(w.Context(), w.act(), i.resource.ID)
	}},
	"the resource demands two factors": {
		func(i issuing) bool { return ofResource(i) && person(i) },
		func(w *world, i issuing) error {
			w.demands(i.resource, storage.ACRTwoFactors, 0)
			return nil
		},
	},
	"the resource is for other apps": {ofResource, func(w *world, i issuing) error {
		i.resource.Everyone = false
		w.become(i.resource)
		return nil
	}},
	"the upstream is disabled": {ofUpstream, func(w *world, i issuing) error {
		return w.Store.SetUpstreamDisabled(w.Context(), w.act(), i.upstream, true)
	}},
	"the upstream is gone": {ofUpstream, func(w *world, i issuing) error {
		return w.Store.DeleteUpstream(w.Context(), w.act(), i.upstream)
	}},
	"the service account is disabled": {ofMachine, func(w *world, i issuing) error {
		_, err := w.Machines.SetStatus(w.Context(), w.act(), operator, i.machine, storage.ServiceAccountDisabled)
		return err
	}},
	"the service account is gone": {ofMachine, func(w *world, i issuing) error {
		return w.Machines.Delete(w.Context(), w.act(), operator, i.machine)
	}},
	"the key is disabled": {ofMachine, func(w *world, i issuing) error {
		return w.Machines.SetKeyStatus(w.Context(), w.act(), operator, i.machine, i.key, storage.KeyDisabled)
	}},
}

var operator = serviceaccounts.Asker{Operator: true}

// gives reports whether the answer gives anything.
func (a answer) gives() bool {
	to := a.Header.Get("Location")
	return a.Status == http.StatusOK || strings.Contains(to, "code=") || strings.Contains(to, "id_token=")
}

// What is issued rests on a person, an app, a resource, an upstream or a service account that
// is there, enabled and allows it: on each way, whatever of that has ended since it began. That
// the engines agree in this, in the very moment too, is of the tests beside it.
//
// Rules: TOKEN-37, FACTOR-20, FACTOR-22, RES-18
func TestNothingIsIssuedOnAnyWayOnceItsGroundHasEnded(t *testing.T) {
	for name, way := range everyWayOut {
		t.Run(name, func(t *testing.T) {
			i, got := way.goes(t, nil)
			if !got.gives() {
				t.Fatalf("nothing has ended: %d %.200s", got.Status, got.Body)
			}
			for why, end := range everyEnd {
				if !end.ground(i) {
					continue
				}
				if _, got := way.goes(t, end.ends); got.gives() || got.Status >= http.StatusInternalServerError {
					t.Errorf("%s: %d %s %.200s", why, got.Status, got.Header.Get("Location"), got.Body)
				}
			}
		})
	}
}

// goes goes the way in a world of its own, after something has ended; nil: nothing has.
func (o wayOut) goes(t *testing.T, ends func(*world, issuing) error) (issuing, answer) {
	demanded := new(atomic.Bool)
	w := newWorld(t, settings{machines: true, demand: func(storage.User) bool { return demanded.Load() }})
	i := o.ready(w)
	i.demanded = demanded
	w.wait(time.Second)
	if ends != nil {
		w.must(ends(w, i))
	}
	w.wait(2 * clientLag)
	w.Resources.Forget()
	return i, i.asks()
}

// Rules: CODE-1, DEVICE-3
func TestWhatCountsOnceIsSpentOnceOnEachWay(t *testing.T) {
	eachDatabase(t, func(t *testing.T, anew func(testing.TB) string) {
		for name, way := range everyWayOut {
			if !way.once {
				continue
			}
			i := way.ready(newWorld(t, settings{database: anew(t), machines: true}))
			var given atomic.Int64
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					if i.asks().gives() {
						given.Add(1)
					}
				})
			}
			all.Wait()
			if given.Load() != 1 {
				t.Errorf("%s: %d of fifty got something", name, given.Load())
			}
		}
	})
}

// Rule: TOKEN-37
func TestEveryGrantIsOneOfTheWaysOut(t *testing.T) {
	w := newWorld(t, settings{machines: true})
	for _, grant := range w.discovery()["grant_types_supported"].([]any) {
		has := false
		for _, way := range everyWayOut {
			has = has || way.grant == grant
		}
		if !has {
			t.Errorf("no way out is by the grant %s", grant)
		}
	}
}

func (w *world) redeems(a app, user storage.User, v visit, pairs ...string) issuing {
	w.Helper()
	if v.Away == nil || v.Away.Query().Get("code") == "" {
		w.Fatalf("no code: at %s, away %v\n%s", v.At, v.Away, v.Body)
	}
	f := append([]string{"grant_type", "authorization_code", "code", v.Away.Query().Get("code"),
		"redirect_uri", callback}, pairs...)
	return issuing{app: a, user: user, asks: func() answer { return w.token(a, form(f...)) }}
}

func (w *world) outByPages() issuing {
	user, a, b := w.person(somebody), w.app(apps.Registration{Scopes: []string{"openid", "data:read"}}), w.browser()
	return w.redeems(a, user, b.through(b.get(w.authorizeURL(a)), somebody))
}

func (w *world) outByPushed() issuing {
	user, a, b := w.person(somebody), w.app(apps.Registration{Scopes: []string{"openid", "data:read"}}), w.browser()
	return w.redeems(a, user, b.through(b.get(w.goingOn(a, w.push(a))), somebody))
}

func (w *world) outBySigned() issuing {
	user, k, b := w.person(somebody), w.keyed(jose.ES256), w.browser()
	code := b.through(b.get(k.withObject(k.requested(nil))), somebody).Away.Query().Get("code")
	return issuing{app: k.app, user: user, asks: func() answer {
		return w.post("/authentication/v2/token", app{}, proven(form("grant_type", "authorization_code", "code", code,
			"redirect_uri", callback, "code_verifier", verifier), k.assertion(nil)))
	}}
}

func (w *world) outForResource() issuing {
	r := w.resource(orders)
	user, a, b := w.person(somebody), w.app(apps.Registration{Scopes: []string{"openid"}}), w.browser()
	i := w.redeems(a, user, b.through(b.get(w.authorizeURL(a, "scope", "read", "resource", orders)), somebody))
	i.resource = r
	return i
}

func (w *world) outByUpstream() issuing {
	w.liar("works")
	a, b := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}}), w.browser()
	b.visitUpstream("works")
	i := w.redeems(a, w.whose("one@works.test"), b.through(b.get(w.authorizeURL(a)), "one@works.test"))
	i.upstream = "works"
	return i
}

func (w *world) goesOn(i issuing) issuing {
	w.Helper()
	got := i.asks()
	if got.Status != http.StatusOK {
		w.Fatalf("%d %s", got.Status, got.Body)
	}
	token := got.JSON(w)["refresh_token"].(string)
	i.asks = func() answer {
		return w.token(i.app, form("grant_type", "refresh_token", "refresh_token", token))
	}
	return i
}

func (w *world) outByRefresh() issuing            { return w.goesOn(w.outByPages()) }
func (w *world) outByRefreshForResource() issuing { return w.goesOn(w.outForResource()) }
func (w *world) outByRefreshOfUpstream() issuing  { return w.goesOn(w.outByUpstream()) }

func (w *world) outByDevice() issuing {
	user := w.person(somebody)
	d := w.begin(w.screen())
	w.browser().decide(d, "allow")
	return issuing{app: d.app, user: user, asks: func() answer { return w.poll(d) }}
}

func (w *world) outByExchange() issuing {
	c := w.chain()
	return issuing{app: c.service, front: c.front, user: w.whose(somebody), resource: w.registeredAs(billing),
		asks: func() answer { return c.exchange(c.token) }}
}

// registeredAs is the resource with the identifier.
func (w *world) registeredAs(identifier string) storage.Resource {
	w.Helper()
	all, err := w.Store.ListResources(w.Context())
	w.must(err)
	return all[slices.IndexFunc(all, func(r storage.Resource) bool { return r.Identifier == identifier })]
}

func (w *world) outByIntroduction() issuing {
	d := w.desk()
	return issuing{app: d.app, user: d.user, asks: func() answer { return d.introduce() }}
}

func (w *world) outByIntroductionOfRefresh() issuing {
	d := w.desk()
	return issuing{app: d.app, user: d.user, asks: func() answer {
		return d.introduce("subject_token_type", refreshType, "subject_token", d.tokens["refresh_token"].(string))
	}}
}

func (w *world) outByVouching() issuing {
	c := w.company()
	return issuing{app: c.app, user: c.user, upstream: "works",
		asks: func() answer { return c.presents(c.vouch(nil)) }}
}

func (w *world) outByMachine() issuing {
	a := w.app(apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read"}})
	account, err := w.Machines.Create(w.Context(), w.act(), operator,
		serviceaccounts.Request{Name: "robot-one", ClientID: a.ID})
	w.must(err)
	i := issuing{app: a, machine: serviceaccounts.Ref{AccountID: account.ID, ClientID: a.ID}}
	made, err := w.Machines.CreateKey(w.Context(), w.act(), operator, i.machine, term.Term{})
	w.must(err)
	block, _ := pem.Decode([]byte(made.Private))
	private, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	w.must(err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256,
		Key: jose.JSONWebKey{Key: private, KeyID: made.KID}}, nil)
	w.must(err)
	now := w.ambient.Now()
	assertion, err := jwt.Signed(signer).Claims(map[string]any{"iss": a.ID, "sub": account.ID, "jti": "1",
		"aud": w.URL + "/authentication/v2/token", "iat": now.Unix(), "exp": now.Add(4 * time.Minute).Unix(),
		"scope": []string{"data:read"}}).Serialize()
	w.must(err)
	i.key = made.KID
	i.asks = func() answer { return w.token(a, form("grant_type", bearerGrant, "assertion", assertion)) }
	return i
}

func (w *world) outByItself() issuing {
	a := w.app(apps.Registration{Scopes: []string{"data:read"}})
	return issuing{app: a, asks: func() answer {
		return w.token(a, form("grant_type", "client_credentials", "scope", "data:read"))
	}}
}

func (w *world) outByItselfForResource() issuing {
	a, r := w.app(apps.Registration{Scopes: []string{"data:read"}}), w.resource(orders)
	return issuing{app: a, resource: r, asks: func() answer {
		return w.token(a, form("grant_type", "client_credentials", "scope", "read", "resource", orders))
	}}
}

// asksAgain is somebody whose app asks without a page.
func (w *world) asksAgain(pairs ...string) issuing {
	user, a, b := w.person(somebody), w.app(apps.Registration{Scopes: []string{"openid", "data:read"}}), w.browser()
	b.tokens(a, somebody)
	address := w.authorizeURL(a, append([]string{"prompt", "none", "nonce", "n"}, pairs...)...)
	return issuing{app: a, user: user, asks: func() answer {
		return b.once(http.MethodGet, strings.TrimPrefix(address, w.URL), nil)
	}}
}

func (w *world) outByRemembered() issuing { return w.asksAgain() }
func (w *world) outByBrowser() issuing {
	return w.asksAgain("response_type", "id_token", "scope", "openid")
}
