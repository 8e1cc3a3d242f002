package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

// chain is a front app, whose tokens for orders the service behind it exchanges for
// ones for billing.
type chain struct {
	*world
	front, service, further app
	orders                  storage.Resource
	token                   string // of the person, for orders
}

func (w *world) chain(change ...func(*apps.Registration)) chain {
	w.Helper()
	w.person(somebody)
	c := chain{world: w, front: w.app(apps.Registration{Scopes: []string{"openid", "data:read"}})}
	r := apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read"}}
	r.ExchangeFor = []string{billing, w.URL}
	for _, one := range change {
		one(&r)
	}
	w.resource(billing)
	c.further = w.app(apps.Registration{Type: storage.ClientService})
	c.service = w.app(r)
	c.orders = w.resource(orders, func(r *storage.Resource) {
		r.ClientID, r.Scopes = c.service.ID, []string{"read", "data:read", "other"}
	})
	c.token = w.browser().tokens(c.front, somebody, "scope", "openid read data:read other",
		"resource", orders)["access_token"].(string)
	return c
}

func (c chain) exchange(token string, pairs ...string) answer {
	c.Helper()
	f := form("grant_type", exchange, "subject_token", token,
		"subject_token_type", "urn:ietf:params:oauth:token-type:access_token", "resource", billing)
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			f.Del(pairs[i])
		}
	}
	return c.world.token(c.service, f)
}

// Rules: HANDON-1, HANDON-2, HANDON-3
func TestAServiceGoesOnForThePersonWhoseTokenItWasSent(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		c := w.chain()
		w.wait(10 * time.Minute)
		body := c.exchange(c.token).JSON(t)
		w.is(body, []string{billing}, "read")
		had, got := payload(t, c.token), payload(t, body["access_token"])
		if body["issued_token_type"] != "urn:ietf:params:oauth:token-type:access_token" || body["refresh_token"] != nil ||
			body["id_token"] != nil || got["exp"] != had["exp"] || body["expires_in"].(float64) > 3000 {
			t.Errorf("%v, of %v made %v", body, had, got)
		}
		for name, want := range map[string]any{"sub": had["sub"], "gid": had["gid"], "client_id": c.service.ID,
			"act": map[string]any{"sub": c.service.ID}, "acr": had["acr"], "auth_time": had["auth_time"]} {
			if diff := cmp.Diff(want, got[name]); diff != "" {
				t.Errorf("%s: -want +got:\n%s", name, diff)
			}
		}
		w.is(c.exchange(c.token, "resource", "", "audience", w.URL).JSON(t), []string{w.URL}, "data:read")
		for name, refused := range map[string]struct {
			got  answer
			code string
		}{
			"a wider scope":         {c.exchange(c.token, "scope", "read write"), "invalid_scope"},
			"a scope of the other":  {c.exchange(c.token, "scope", "other"), "invalid_scope"},
			"another resource":      {c.exchange(c.token, "resource", orders), "invalid_target"},
			"an unknown resource":   {c.exchange(c.token, "resource", "https://x.example.test"), "invalid_target"},
			"none of two resources": {c.exchange(c.token, "resource", ""), "invalid_target"},
			"no token":              {c.exchange("", "subject_token", ""), "invalid_request"},
			"a token that is none":  {c.exchange("x.y.z"), "invalid_request"},
			"no type":               {c.exchange(c.token, "subject_token_type", ""), "invalid_request"},
			"another type": {c.exchange(c.token, "subject_token_type",
				"urn:ietf:params:oauth:token-type:id_token"), "invalid_request"},
			"an actor's token": {c.exchange(c.token, "actor_token", c.token), "invalid_request"},
			"a refresh token": {c.exchange(c.token, "requested_token_type", "urn:ietf:params:oauth:token-type:refresh_token"),
				"invalid_request"},
		} {
			if refused.got.Status != http.StatusBadRequest || refused.got.JSON(t)["error"] != refused.code {
				t.Errorf("%s: %d %s, want %s", name, refused.got.Status, refused.got.Body, refused.code)
			}
		}
		events, _, err := w.Store.ListAudit(t.Context(), storage.AuditFilter{Kind: "token.exchanged"}, storage.PageRequest{})
		if w.must(err); len(events) != 2 || events[0].Act.Actor.ID != c.service.ID || events[0].Subject != had["sub"] {
			t.Errorf("audited: %+v", events)
		}
	})
}

// Rule: HANDON-1
func TestOnlyWhoWasSentATokenExchangesIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		c := w.chain()
		mine := w.browser().tokens(c.front, somebody, "scope", "openid data:read")["access_token"].(string)
		w.refused(c.exchange(mine), http.StatusBadRequest, "invalid_request") // for us, and another's
		machine := w.granted(c.front, named(form("grant_type", "client_credentials"), orders))["access_token"].(string)
		w.refused(c.exchange(machine), http.StatusBadRequest, "invalid_request") // speaks for nobody
		f := func() url.Values {
			return form("grant_type", exchange, "subject_token", c.token,
				"subject_token_type", "urn:ietf:params:oauth:token-type:access_token", "resource", billing)
		}
		w.refused(w.token(c.further, f()), http.StatusBadRequest, "unauthorized_client")
		stranger := w.app(apps.Registration{Type: storage.ClientService,
			ClientExchange: storage.ClientExchange{ExchangeFor: []string{billing}}})
		w.refused(w.token(stranger, f()), http.StatusBadRequest, "invalid_request")
		if got := c.exchange(c.token); got.Status != http.StatusOK {
			t.Errorf("who was sent it: %d %s", got.Status, got.Body)
		}
		own := w.granted(c.service, named(form("grant_type", "client_credentials", "scope", "data:read"), orders))
		w.is(c.exchange(own["access_token"].(string), "resource", w.URL).JSON(t), []string{w.URL}, "data:read")
	})
}

// Rule: HANDON-4
func TestWhateverEndsATokenEndsWhatItWasExchangedFor(t *testing.T) {
	eachDatabase(t, func(t *testing.T, anew func(testing.TB) string) {
		for name, end := range map[string]func(c chain) error{
			"the token is revoked": func(c chain) error {
				c.post("/authentication/v2/revoke", c.front, form("token", c.token))
				return nil
			},
			"its grant is revoked": func(c chain) error {
				return c.Store.RevokeGrant(c.Context(), c.act(), payload(c, c.token)["gid"].(string))
			},
			"its client is disabled": func(c chain) error {
				return c.Store.SetClientDisabled(c.Context(), c.act(), c.front.ID, true)
			},
			"the person is disabled": func(c chain) error {
				return c.Store.SetUserDisabled(c.Context(), c.act(), payload(c, c.token)["sub"].(string), true)
			},
			"the resource that it was sent to is disabled": func(c chain) error {
				return c.Store.SetResourceDisabled(c.Context(), c.act(), c.orders.ID, true)
			},
			"its client may not have tokens for that any more": func(c chain) error {
				c.orders.Everyone, c.orders.Clients = false, []string{c.service.ID}
				return c.Store.PatchResource(c.Context(), c.act(), c.orders, nil)
			},
			"its client is for others": func(c chain) error {
				_, err := c.Apps.Update(c.Context(), c.act(), c.front.ID,
					apps.Change{Restricted: new(true), ByAdministrator: true})
				return err
			},
			"the exchanging client is for others": func(c chain) error {
				_, err := c.Apps.Update(c.Context(), c.act(), c.service.ID,
					apps.Change{Restricted: new(true), ByAdministrator: true})
				return err
			},
			"the resource that it is for is disabled": func(c chain) error {
				all, err := c.Store.ListResources(c.Context())
				for _, one := range all {
					if one.Identifier == billing && err == nil {
						err = c.Store.SetResourceDisabled(c.Context(), c.act(), one.ID, true)
					}
				}
				return err
			},
			"the exchanging client may not exchange for that any more": func(c chain) error {
				_, err := c.Apps.Update(c.Context(), c.act(), c.service.ID,
					apps.Change{ExchangeFor: new([]string{orders, c.URL}), ByAdministrator: true})
				return err
			},
			"the exchanging client is disabled": func(c chain) error {
				return c.Store.SetClientDisabled(c.Context(), c.act(), c.service.ID, true)
			},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWorld(t, settings{database: anew(t)})
				c := w.chain()
				next := c.exchange(c.token).JSON(t)["access_token"].(string)
				if _, err := w.Bearer.For(billing).Check(t.Context(), next); err != nil {
					t.Fatalf("before: %v", err)
				}
				own := c.exchange(c.token, "resource", "", "audience", w.URL).JSON(t)["access_token"].(string)
				caller, err := w.Bearer.Check(t.Context(), own)
				w.must(err)
				asked := bearer.NewAsker(caller, storage.Caller{ClientID: caller.ClientID, UserID: caller.UserID}, "data:read")
				if may, err := w.Bearer.StillMay(t.Context(), asked); err != nil || !may {
					t.Fatalf("before, what was asked for with such a token: %v, %v", may, err)
				}
				w.must(end(c))
				w.wait(time.Second)
				if _, err := w.Bearer.For(billing).Check(t.Context(), next); err == nil {
					t.Error("it is still good")
				}
				if got := c.exchange(c.token); got.Status == http.StatusOK {
					t.Errorf("it is exchanged again: %s", got.Body)
				}
				_, over := w.Bearer.Check(t.Context(), own)
				if may, err := w.Bearer.StillMay(t.Context(), asked); err != nil || may != (over == nil) {
					t.Errorf("what was asked for with such a token for the APIs: %v, %v; the token itself: %v", may, err, over)
				}
			})
		}
	})
}

// Rule: HANDON-4
func TestWhateverNarrowsATokenNarrowsWhatItWasExchangedFor(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		c := w.chain()
		next := c.exchange(c.token, "resource", "", "audience", w.URL).JSON(t)["access_token"].(string)
		has := func() []string {
			caller, err := w.Bearer.Check(t.Context(), next)
			w.must(err)
			return caller.Scopes
		}
		if got := has(); !slices.Equal(got, []string{"data:read"}) {
			t.Fatalf("before: %v", got)
		}
		_, err := w.Apps.Update(t.Context(), w.act(), c.front.ID,
			apps.Change{Scopes: &[]string{"openid"}, ByAdministrator: true})
		w.must(err)
		w.wait(time.Second)
		if got := has(); len(got) != 0 {
			t.Errorf("its client has lost the scope, and it has %v", got)
		}
	})
}

// Rules: HANDON-4, HANDON-5
func TestAnAdministratorLetsAServicePassForAPerson(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		c := w.chain(func(r *apps.Registration) { r.Impersonates = true })
		got := payload(t, c.exchange(c.token).JSON(t)["access_token"])
		if got["act"] != nil || got["sub"] != payload(t, c.token)["sub"] {
			t.Errorf("%v", got)
		}
		token := c.exchange(c.token).JSON(t)["access_token"].(string)
		lets := func(may bool) bool {
			_, err := w.Apps.Update(t.Context(), w.act(), c.service.ID,
				apps.Change{Impersonates: &may, ByAdministrator: true})
			w.must(err)
			w.wait(time.Second)
			_, err = w.Bearer.For(billing).Check(t.Context(), token)
			return err == nil
		}
		if lets(false) || !lets(true) {
			t.Error("what it got counts while it may not pass for anybody, or not while it may")
		}
		w.must(w.Store.UpdateUser(t.Context(), w.act(), w.person("root@example.test"), new(true)))
		set := func(administrates bool) {
			person, err := w.Store.FindUser(t.Context(), got["sub"].(string))
			w.must(err)
			w.must(w.Store.UpdateUser(t.Context(), w.act(), person, &administrates))
		}
		for _, administrates := range []bool{true, false} {
			set(administrates)
			w.wait(time.Second)
			if _, err := w.Bearer.For(billing).Check(t.Context(), token); (err != nil) != administrates {
				t.Errorf("what passes for somebody who administrates (%v): %v", administrates, err)
			}
		}
		set(true)
		w.refused(c.exchange(c.token), http.StatusBadRequest, "invalid_request")
	})
}

// Rule: HANDON-3
func TestAChainOfServicesIsToldAndHasAnEnd(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		c := w.chain(func(r *apps.Registration) { r.ExchangeFor = []string{orders} })
		token := c.token
		for turn := 1; turn <= 4; turn++ {
			got := c.exchange(token, "resource", "")
			if got.Status != http.StatusOK {
				t.Fatalf("turn %d: %d %s", turn, got.Status, got.Body)
			}
			token = got.JSON(t)["access_token"].(string)
			depth := 0
			for act, _ := payload(t, token)["act"].(map[string]any); act != nil; act, _ = act["act"].(map[string]any) {
				depth++
			}
			if depth != turn {
				t.Errorf("turn %d: %v", turn, payload(t, token)["act"])
			}
		}
		w.refused(c.exchange(token, "resource", ""), http.StatusBadRequest, "invalid_request")
	})
}

// Rules: HANDON-3, HANDON-5
func TestAChainInWhichNobodyIsToldHasTheSameEnd(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		c := w.chain(func(r *apps.Registration) { r.ExchangeFor, r.Impersonates = []string{orders}, true })
		token := c.token
		for turn := 1; turn <= 4; turn++ {
			token = c.exchange(token, "resource", "").JSON(t)["access_token"].(string)
		}
		w.refused(c.exchange(token, "resource", ""), http.StatusBadRequest, "invalid_request")
	})
}
