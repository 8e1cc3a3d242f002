package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/storage"
)

const (
	orders  = "https://orders.example.test/api"
	billing = "https://billing.example.test"
)

// resource registers one; what the test leaves out is a resource for every client with
// the scopes read and write.
func (w *world) resource(identifier string, change ...func(*storage.Resource)) storage.Resource {
	w.Helper()
	key, err := resources.Key(identifier)
	w.must(err)
	r := storage.Resource{ID: w.ambient.UID(), Identifier: identifier, Key: key, Name: identifier, Everyone: true,
		Scopes: []string{"read", "write"}, CreatedAt: w.ambient.Now(), UpdatedAt: w.ambient.Now()}
	for _, c := range change {
		c(&r)
	}
	w.must(w.Store.CreateResource(w.Context(), w.act(), r))
	w.Resources.Forget()
	return r
}

// audience returns whom a token is for.
func (w *world) audience(token any) []string {
	w.Helper()
	claims, err := w.Keys.VerifyAccessFor(w.Context(), token.(string), "")
	w.must(err)
	return claims.Audience
}

// for returns whom the token of an answer is for, and with what scopes, as the answer
// says too.
func (w *world) is(body map[string]any, audience []string, scopes string) {
	w.Helper()
	said := payload(w, body["access_token"])["scope"]
	if diff := cmp.Diff(audience, w.audience(body["access_token"])); diff != "" || said != scopes ||
		body["scope"] != said {
		w.Errorf("scope %v, told %v, want %q; audience -want +got:\n%s", said, body["scope"], scopes, diff)
	}
}

// named is a form with resources beside it.
func named(f url.Values, resources ...string) url.Values {
	f["resource"] = resources
	return f
}

// Rules: RES-1, RES-4
func TestAPersonsTokensAreForTheResourcesThatTheyAllowed(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.resource(orders)
		w.resource(billing+"/", func(r *storage.Resource) { r.Scopes = []string{"pay"} })
		a := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}})
		b := w.browser()
		where := w.authorizeURL(a, "scope", "openid read pay data:read nothing") +
			"&resource=" + url.QueryEscape("HTTPS://orders.EXAMPLE.test/api") + "&resource=" + url.QueryEscape(billing)
		page := b.get(where)
		page = b.submit(page, "login-form", form("username", somebody, "password", goodPassword))
		for _, shown := range []string{"right “read”", orders, "right “pay”", billing + "/"} {
			if !strings.Contains(string(page.Body), shown) {
				t.Errorf("the page that asks does not say %s:\n%s", shown, page.Body)
			}
		}
		v := b.through(page, somebody)
		if v.Away == nil || v.Away.Query().Get("code") == "" {
			t.Fatalf("no code: sent to %v from %v\n%s", v.Away, v.At, v.Body)
		}
		body := w.granted(a, form("grant_type", "authorization_code", "redirect_uri", callback,
			"code", v.Away.Query().Get("code")))
		w.is(body, []string{orders, billing + "/"}, "read pay")
		if _, isThere := body["id_token"]; !isThere {
			t.Error("no ID token")
		}

		refresh := func(asked ...string) answer {
			return w.token(a, named(form("grant_type", "refresh_token", "refresh_token", body["refresh_token"].(string)),
				asked...))
		}
		narrow := refresh(billing).JSON(t)
		w.is(narrow, []string{billing + "/"}, "pay")
		w.refused(refresh(w.URL), http.StatusBadRequest, "invalid_target")
		w.refused(refresh("https://other.example.test"), http.StatusBadRequest, "invalid_target")
		body = narrow
		body = refresh().JSON(t)
		w.is(body, []string{orders, billing + "/"}, "read pay")

		// It is remembered, for these resources alone.
		if v := b.get(where); v.Away == nil || v.Away.Query().Get("code") == "" {
			t.Errorf("asked again: %v", v.At)
		}
		again := w.authorizeURL(a, "scope", "openid pay", "prompt", "none", "resource", orders)
		if v := b.get(again); v.Away.Query().Get("error") != "invalid_scope" {
			t.Errorf("a scope of another resource: %v", v.Away)
		}
		again = w.authorizeURL(a, "scope", "openid write", "prompt", "none", "resource", orders)
		if v := b.get(again); v.Away.Query().Get("error") != "consent_required" {
			t.Errorf("a scope more: %v", v.Away)
		}
	})
}

// Rule: RES-1
func TestACodeIsRedeemedForSomeOfItsResources(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.resource(orders)
		w.resource(billing)
		a, b := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}}), w.browser()
		code := func(pairs ...string) string { return b.code(a, somebody, append(pairs, "scope", "openid read")...) }
		redeem := func(code string, asked ...string) answer {
			return w.token(a, named(form("grant_type", "authorization_code", "redirect_uri", callback, "code", code), asked...))
		}
		w.is(redeem(code("resource", orders), orders).JSON(t), []string{orders}, "read")
		w.refused(redeem(code("resource", orders), billing), http.StatusBadRequest, "invalid_target")
		w.refused(redeem(code("resource", orders), orders+"#x"), http.StatusBadRequest, "invalid_target")
		own := func() string { return b.code(a, somebody, "scope", "openid data:read") }
		w.is(redeem(own()).JSON(t), []string{w.URL}, "openid data:read")
		w.is(redeem(own(), w.URL+"/").JSON(t), []string{w.URL}, "openid data:read")
		w.refused(redeem(own(), orders), http.StatusBadRequest, "invalid_target")
		both := b.code(a, somebody, "scope", "openid data:read", "resource", w.URL)
		w.is(redeem(both).JSON(t), []string{w.URL}, "openid data:read")
	})
}

// Rules: RES-2, RES-5
func TestAClientAsksForResourcesThatAreForIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read", "data:write"}})
		other := w.app(apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read"}})
		r := w.resource(orders, func(r *storage.Resource) {
			r.Everyone, r.Clients, r.Scopes = false, []string{a.ID}, []string{"read", "data:read", "openid"}
			r.Lifetime, r.Algorithm = time.Minute, "ES256"
		})
		ask := func(a app, scope string, asked ...string) answer {
			return w.token(a, named(form("grant_type", "client_credentials", "scope", scope), asked...))
		}
		body := ask(a, "", orders).JSON(t)
		w.is(body, []string{orders}, "data:read read")
		if body["expires_in"] != 60.0 || headerOf(w, body["access_token"].(string))["alg"] != "ES256" {
			t.Errorf("%v, header %v", body, headerOf(w, body["access_token"].(string)))
		}
		w.is(ask(a, "read data:write", orders).JSON(t), []string{orders}, "read")
		w.is(ask(a, "data:write read", w.URL).JSON(t), []string{w.URL}, "data:write")
		w.is(ask(a, "read data:write").JSON(t), []string{w.URL}, "data:write")
		many := slices.Repeat([]string{orders}, resources.MaxAsked+1)
		for name, got := range map[string]answer{
			"another client": ask(other, "", orders), "an unknown one": ask(a, "", "https://orders.example.test"),
			"no address": ask(a, "", "orders"), "a fragment": ask(a, "", orders+"#"), "two": ask(a, "", orders, billing),
			"very many": ask(a, "", many...), "an empty one": ask(a, "", ""),
			"user info": ask(a, "", "https://x@orders.example.test/api"),
		} {
			if got.Status != http.StatusBadRequest || got.JSON(t)["error"] != "invalid_target" {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		w.refused(ask(a, "data:write", orders), http.StatusBadRequest, "invalid_scope")
		w.must(w.Store.SetResourceDisabled(w.Context(), w.act(), r.ID, true))
		w.wait(time.Second)
		w.refused(ask(a, "", orders), http.StatusBadRequest, "invalid_target")
	})
}

// Rule: RES-6
func TestARequestWithoutScopesIsGivenTheDefault(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.resource(orders, func(r *storage.Resource) { r.DefaultScopes = []string{"read"} })
		w.resource(billing)
		a, b := w.app(apps.Registration{Scopes: []string{"openid", "offline_access", "data:read"}}), w.browser()
		w.is(b.tokens(a, somebody, "scope", "", "resource", orders), []string{orders}, "read")
		w.is(b.tokens(a, somebody, "scope", "offline_access", "resource", orders), []string{orders}, "read")
		w.is(b.tokens(a, somebody, "scope", "write", "resource", orders), []string{orders}, "write")
		for _, pairs := range [][]string{{"scope", ""}, {"scope", "", "resource", billing},
			{"scope", "openid", "resource", billing}} {
			if v := b.get(w.authorizeURL(a, pairs...)); v.Away == nil || v.Away.Query().Get("error") != "invalid_scope" {
				t.Errorf("%v: %v", pairs, v.Away)
			}
		}
		a.DefaultScopes = []string{"openid", "data:read"}
		w.must(w.Store.UpdateClient(w.Context(), w.act(), a.Client))
		w.wait(time.Second)
		w.is(b.tokens(a, somebody, "scope", ""), []string{w.URL}, "openid data:read")
		w.is(w.granted(a, form("grant_type", "client_credentials")), []string{w.URL}, "data:read")
	})
}

// What one request is given must not be what the next is judged by.
//
// Rules: RES-6, TOKEN-20
func TestADefaultIsTheSameAfterItWasGiven(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	for _, profile := range []string{storage.ProfilePlatform, storage.ProfileStandard} {
		given := []string{"openid", "data:read"}
		a, b := w.app(apps.Registration{Profile: profile, Scopes: given, DefaultScopes: given}), w.browser()
		for range 2 {
			if got := w.granted(a, form("grant_type", "client_credentials"))["scope"]; got != "data:read" {
				t.Errorf("%s, for itself: %v", profile, got)
			}
			token := b.tokens(a, somebody, "scope", "")["access_token"]
			if got := payload(t, token)["scope"]; got != "openid data:read" {
				t.Errorf("%s, for a person: %v", profile, got)
			}
		}
	}
}

// Rule: RES-16
func TestWhatOurOwnAddressDemandsHoldsForTokensThatNameNoResource(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read"}})
		asks := form("grant_type", "client_credentials", "scope", "data:read")
		before := w.granted(a, asks)
		w.resource(w.URL, func(r *storage.Resource) { r.Lifetime, r.Algorithm = time.Minute, "ES256" })
		after := w.granted(a, asks)
		if before["expires_in"] == 60.0 || after["expires_in"] != 60.0 || algorithmOf(w, before) != "RS256" ||
			algorithmOf(w, after) != "ES256" {
			t.Errorf("before %v, after %v", before, after)
		}
		w.is(after, []string{w.URL}, "data:read")
		own, err := w.Store.ListResources(w.Context())
		w.must(err)
		own[0].ProofNeeded = true
		w.become(own[0])
		w.Resources.Forget()
		w.refused(w.token(a, asks), http.StatusBadRequest, "invalid_dpop_proof")
	})
}

// algorithmOf returns what the access token of an answer is signed with.
func algorithmOf(w *world, body map[string]any) string {
	w.Helper()
	head, _, _ := strings.Cut(body["access_token"].(string), ".")
	text, err := base64.RawURLEncoding.DecodeString(head)
	w.must(err)
	var header struct{ Alg string }
	w.must(json.Unmarshal(text, &header))
	return header.Alg
}

// Rules: RES-7, HANDON-1
func TestAClientOfSeveralResourcesIsToldOfAllThatATokenIsFor(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		r := apps.Registration{Type: storage.ClientService}
		r.ExchangeFor = []string{billing}
		a, both := w.app(apps.Registration{Scopes: []string{"openid"}}), w.app(r)
		of := func(r *storage.Resource) { r.ClientID = both.ID }
		first := w.resource(orders, of)
		w.resource(billing, of, func(r *storage.Resource) { r.Scopes = []string{"pay"} })
		b := w.browser()
		v := b.through(b.get(w.authorizeURL(a, "scope", "openid read pay", "resource", orders)+
			"&resource="+url.QueryEscape(billing)), somebody)
		token := w.redeem(a, v.Away.Query().Get("code")).JSON(t)["access_token"].(string)
		told := func(when, scope string, audience any) {
			t.Helper()
			got := w.post("/authentication/v2/introspect", both, form("token", token)).JSON(t)
			if diff := cmp.Diff(audience, got["aud"]); got["scope"] != scope || diff != "" {
				t.Errorf("%s: scope %v, want %s; aud -want +got:\n%s", when, got["scope"], scope, diff)
			}
		}
		told("at first", "read pay", []any{orders, billing})
		w.is(chain{world: w, service: both}.exchange(token).JSON(t), []string{billing}, "pay")
		first.ACR = storage.ACRTwoFactors
		w.must(w.Store.PatchResource(w.Context(), w.act(), first, nil))
		w.wait(time.Second)
		told("one of them demands more", "pay", billing)
		w.must(w.Store.SetResourceDisabled(w.Context(), w.act(), first.ID, true))
		w.wait(time.Second)
		told("one of them is disabled", "pay", []any{orders, billing})
	})
}

// Rules: INTRO-1, HANDON-2
func TestATokenForOurAPIsAndAResourceTellsItsClientTheScopesOfBoth(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.resource(orders)
		w.resource(billing)
		r := apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read"}}
		r.ExchangeFor = []string{billing}
		a := w.app(r)
		token := w.granted(a, named(form("grant_type", "client_credentials", "scope", "read data:read"), orders, w.URL))
		w.is(token, []string{orders, w.URL}, "read data:read")
		said := w.post("/authentication/v2/introspect", a, form("token", token["access_token"].(string))).JSON(t)
		if said["scope"] != "read data:read" {
			t.Errorf("introspection: %v", said)
		}
		next := chain{world: w, service: a}.exchange(token["access_token"].(string))
		if next.Status != http.StatusOK {
			t.Fatalf("exchange: %d %s", next.Status, next.Body)
		}
		w.is(next.JSON(t), []string{billing}, "read")
		if _, err := w.Bearer.For(billing).Check(t.Context(), next.JSON(t)["access_token"].(string)); err != nil {
			t.Error(err)
		}
	})
}

// Rules: RES-3, RES-7
func TestATokenForAResourceOpensNothingElse(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a, b := w.app(apps.Registration{Scopes: []string{"openid"}}), w.browser()
		ours := w.app(apps.Registration{Type: storage.ClientService})
		theirs := w.app(apps.Registration{Type: storage.ClientService})
		r := w.resource(orders, func(r *storage.Resource) { r.ClientID = ours.ID; r.Scopes = []string{"read", "openid"} })
		w.resource(billing, func(r *storage.Resource) { r.ClientID = theirs.ID })
		token := b.tokens(a, somebody, "scope", "openid read write", "resource", orders)["access_token"].(string)

		if got := w.userInfo(token); got.Status != http.StatusUnauthorized {
			t.Errorf("user info: %d %s", got.Status, got.Body)
		}
		own := b.tokens(a, somebody, "scope", "openid", "resource", w.URL)["access_token"].(string)
		if got := w.userInfo(own); got.Status != http.StatusOK {
			t.Errorf("user info with a token of ours: %d %s", got.Status, got.Body)
		}
		at := func(audience string) error { _, err := w.Bearer.For(audience).Check(t.Context(), token); return err }
		if err := at(orders); err != nil {
			t.Error(err)
		}
		for _, audience := range []string{billing, w.URL, orders + "/"} {
			if at(audience) == nil {
				t.Errorf("%s takes it", audience)
			}
		}

		introspect := func(who app) map[string]any {
			return w.post("/authentication/v2/introspect", who, form("token", token)).JSON(t)
		}
		said := introspect(ours)
		for name, want := range map[string]any{"active": true, "client_id": a.ID, "aud": orders, "iss": w.URL,
			"scope": "openid read", "acr": storage.ACRPassword, "token_type": "Bearer", "sub": said["userid"]} {
			if diff := cmp.Diff(want, said[name]); diff != "" || said["sub"] == nil ||
				said["auth_time"] == nil || said["jti"] == nil {
				t.Errorf("%s of %v: -want +got:\n%s", name, said, diff)
			}
		}
		if own := introspect(a); own["active"] != true {
			t.Errorf("its own client: %v", own)
		}
		inactive := func(when string, who app) {
			t.Helper()
			if diff := cmp.Diff(map[string]any{"active": false}, introspect(who)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", when, diff)
			}
		}
		inactive("the client of another resource", theirs)
		w.must(w.Store.SetResourceDisabled(w.Context(), w.act(), r.ID, true))
		w.wait(time.Second)
		inactive("disabled", ours)
		inactive("disabled, to its own client", a)
		w.must(w.Store.SetResourceDisabled(w.Context(), w.act(), r.ID, false))
		w.wait(time.Second)
		inactive("enabled again", ours)
	})
}

// Rule: RES-7
func TestAClientThatLosesAResourceLosesItsTokens(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Type: storage.ClientService})
		ours := w.app(apps.Registration{Type: storage.ClientService})
		r := w.resource(orders, func(r *storage.Resource) {
			r.Everyone, r.Clients, r.ClientID = false,
				[]string{a.ID}, ours.ID
		})
		token := w.granted(a, named(form("grant_type", "client_credentials"), orders))["access_token"].(string)
		scope := func() any {
			w.Resources.Forget()
			return w.post("/authentication/v2/introspect", ours, form("token", token)).JSON(t)["scope"]
		}
		if got := scope(); got != "read write" {
			t.Errorf("scope %v", got)
		}
		r.Scopes = []string{"write"}
		w.become(r)
		if got := scope(); got != "write" {
			t.Errorf("scope %v after one is gone", got)
		}
		r.Clients = nil
		w.become(r)
		if got := scope(); got != nil {
			t.Errorf("scope %v after it may not", got)
		}
		w.must(w.Store.DeleteResource(w.Context(), w.act(), r.ID))
		if got := scope(); got != nil {
			t.Errorf("scope %v after the resource is gone", got)
		}
		// It can be revoked all the same.
		if got := w.post("/authentication/v2/revoke", a, form("token", token)); got.Status != http.StatusOK {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		w.resource(orders, func(r *storage.Resource) { r.ClientID = ours.ID })
		if got := scope(); got != nil {
			t.Errorf("scope %v after it was revoked", got)
		}
	})
}

// Rule: RES-17
func TestNothingRevivesWithAResourceThatHasEnded(t *testing.T) {
	eachDatabase(t, func(t *testing.T, anew func(testing.TB) string) {
		for name, c := range map[string]struct {
			end    func(w *world, r storage.Resource) // and have another at the address, or it again
			allows bool                               // what people allowed counts still
		}{
			"removed and registered again": {func(w *world, r storage.Resource) {
				w.must(w.Store.DeleteResource(w.Context(), w.act(), r.ID))
				w.resource(orders, func(again *storage.Resource) { again.ClientID = r.ClientID })
			}, false},
			"another moved to its address": {func(w *world, r storage.Resource) {
				other := w.resource(billing, func(other *storage.Resource) { other.ClientID = r.ClientID })
				r.Identifier, r.Key = "https://moved.example.test", "https://moved.example.test"
				w.become(r)
				other.Identifier, other.Key = orders, orders
				w.become(other)
			}, false},
			"disabled and enabled": {func(w *world, r storage.Resource) {
				w.must(w.Store.SetResourceDisabled(w.Context(), w.act(), r.ID, true))
				w.must(w.Store.SetResourceDisabled(w.Context(), w.act(), r.ID, false))
			}, true},
			"changed": {func(w *world, r storage.Resource) {
				r.Name = "Other"
				w.become(r)
			}, true},
		} {
			w := newWorld(t, settings{database: anew(t)})
			w.person(somebody)
			ours := w.app(apps.Registration{Type: storage.ClientService})
			r := w.resource(orders, func(r *storage.Resource) { r.ClientID = ours.ID })
			a, b := w.app(apps.Registration{Scopes: []string{"openid"}}), w.browser()
			asks := []string{"scope", "openid read", "resource", orders}
			active := func(token any) bool {
				return w.post("/authentication/v2/introspect", ours, form("token", token.(string))).JSON(t)["active"] == true
			}
			before, code := b.tokens(a, somebody, asks...), b.code(a, somebody, asks...)
			if !active(before["access_token"]) {
				t.Fatalf("%s: dead before", name)
			}
			w.wait(5 * time.Second)
			c.end(w, r)
			w.Resources.Forget()
			lives := name == "changed"
			if active(before["access_token"]) != lives {
				t.Errorf("%s: the token of before counts: %v", name, !lives)
			}
			for kind, got := range map[string]answer{"refresh token": w.refreshWith(a, before), "code": b.redeem(a, code)} {
				if lives == (got.Status == http.StatusBadRequest && got.JSON(t)["error"] == "invalid_grant") {
					t.Errorf("%s: the %s of before: %d %s", name, kind, got.Status, got.Body)
				}
			}
			w.wait(2 * time.Second)
			v := b.get(w.authorizeURL(a, append(asks, "prompt", "none")...))
			if allowed := outcome(v.Away.Query()) == "code"; allowed != c.allows {
				t.Errorf("%s: without a question: %v", name, v.Away)
			}
			after := b.tokens(a, somebody, asks...)
			if got := w.refreshWith(a, after); got.Status != http.StatusOK || !active(after["access_token"]) {
				t.Errorf("%s: what is allowed since: %d %s", name, got.Status, got.Body)
			}
		}
	})
}

// Rule: RES-8
func TestAResourceMayTakeBoundTokensAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.resource(orders, func(r *storage.Resource) { r.ProofNeeded = true })
		a := w.app(apps.Registration{Type: storage.ClientService})
		ask := func() url.Values { return named(form("grant_type", "client_credentials"), orders) }
		w.refused(w.token(a, ask()), http.StatusBadRequest, "invalid_dpop_proof")
		if got := w.proven(a, w.key("ES256"), ask()); got.Status != http.StatusOK {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	})
}

// Rule: RES-9
func TestOurAPIsDemandTheSignInThatTheirResourceSays(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a, b := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}}), w.browser()
		token := b.tokens(a, somebody)["access_token"].(string)
		if got := w.userInfo(token); got.Status != http.StatusOK {
			t.Fatalf("before: %d %s", got.Status, got.Body)
		}
		r := w.resource(w.URL, func(r *storage.Resource) { r.MaxAge = time.Hour })
		if got := w.userInfo(token); got.Status != http.StatusOK {
			t.Errorf("fresh enough: %d %s", got.Status, got.Body)
		}
		w.wait(59 * time.Minute)
		fresh := b.tokens(a, somebody)["access_token"].(string) // by the sign-in of before
		w.wait(2 * time.Minute)
		challenged := func(want string) {
			t.Helper()
			got := w.userInfo(fresh)
			said := got.Header.Get("WWW-Authenticate")
			if got.Status != http.StatusUnauthorized || !strings.Contains(said, `error="insufficient_user_authentication"`) ||
				!strings.Contains(said, want) {
				t.Errorf("%d, challenge %s, want %s", got.Status, said, want)
			}
		}
		challenged(`max_age="3600"`)
		if got := w.userInfo(b.tokens(a, somebody, "max_age", "3600")["access_token"].(string)); got.Status != http.StatusOK {
			t.Errorf("signed in again: %d %s", got.Status, got.Body)
		}
		r.MaxAge, r.ACR = 0, storage.ACRTwoFactors
		w.become(r)
		challenged(`acr_values="` + storage.ACRTwoFactors + `"`)
		r.ACR = storage.ACRPassword
		w.become(r)
		if got := w.userInfo(fresh); got.Status != http.StatusOK {
			t.Errorf("strong enough: %d %s", got.Status, got.Body)
		}
	})
}

// Rules: RES-9, FACTOR-21
func TestWhoFollowsAChallengeForAStrongerSignInMeetsIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		w.resource(w.URL, func(r *storage.Resource) { r.ACR = storage.ACRTwoFactors })
		w.resource(orders)
		a, b := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}}), w.browser()
		weak := b.tokens(a, somebody)["access_token"].(string)
		challenge := w.userInfo(weak).Header.Get("WWW-Authenticate")
		_, wanted, _ := strings.Cut(challenge, `acr_values="`)
		wanted, _, _ = strings.Cut(wanted, `"`)
		if wanted != storage.ACRTwoFactors {
			t.Fatalf("challenge %s", challenge)
		}

		// One that asks less of people is no reason, nor a wish for less.
		for _, pairs := range [][]string{{"acr_values", wanted, "resource", orders, "scope", "openid read"},
			{"acr_values", storage.ACRPassword + " " + wanted}} {
			if got := payload(t, b.tokens(a, somebody, pairs...)["access_token"])["acr"]; got != storage.ACRPassword {
				t.Errorf("%v: acr %v", pairs, got)
			}
		}
		if v := b.get(w.authorizeURL(a, "acr_values", wanted, "prompt", "none")); v.Away == nil ||
			v.Away.Query().Get("error") != "unmet_authentication_requirements" {
			t.Errorf("without a question: %s, away %v", v.At, v.Away)
		}
		b = w.browser()
		v := b.get(w.authorizeURL(a, "acr_values", "x "+wanted))
		request := v.At.Query().Get("request")
		v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
		b.enrols(v, &device{world: w, user: user})
		v = b.get(w.URL + "/authentication/v2/authorize/resume?request=" + request)
		if v.Away == nil {
			t.Fatalf("in the end at %s", v.At)
		}
		strong := b.redeem(a, v.Away.Query().Get("code")).JSON(t)["access_token"].(string)
		if got := w.userInfo(strong); got.Status != http.StatusOK {
			t.Errorf("%d %s", got.Status, got.Header.Get("WWW-Authenticate"))
		}
	})
}

// Rule: RES-10
func TestAPlatformClientNamesNoResources(t *testing.T) {
	w := newWorld(t, settings{})
	w.resource(orders)
	a := w.app(apps.Registration{Type: storage.ClientService, Profile: storage.ProfilePlatform,
		Scopes: []string{"data:read"}})
	body := w.granted(a, named(form("grant_type", "client_credentials"), orders))
	if diff := cmp.Diff([]string{w.URL}, w.audience(body["access_token"])); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: RES-11
func TestAPushedRequestNamesResources(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.resource(orders)
		a, b := w.app(apps.Registration{}), w.browser()
		w.refused(w.push(a, "scope", "read", "resource", billing), http.StatusBadRequest, "invalid_target")
		v := b.through(b.get(w.goingOn(a, w.push(a, "scope", "openid read", "resource", orders))), somebody)
		if v.Away == nil {
			t.Fatalf("still on %s", v.At)
		}
		w.is(w.redeem(a, v.Away.Query().Get("code")).JSON(t), []string{orders}, "read")
	})
}
