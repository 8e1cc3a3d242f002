package provider_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// demands has a resource say how people have to be proven.
func (w *world) demands(r storage.Resource, acr string, age time.Duration) {
	w.Helper()
	r.ACR, r.MaxAge = acr, age
	w.become(r)
}

// become makes a resource what is given, whatever was changed since it was read.
func (w *world) become(r storage.Resource) {
	w.Helper()
	before, err := w.Store.FindResource(w.Context(), r.ID)
	w.must(err)
	r.UpdatedAt = before.UpdatedAt
	w.must(w.Store.PatchResource(w.Context(), w.act(), r, nil))
	w.Resources.Forget()
}

// answeredBy returns the error of the answer that an authorize request led to at once.
func (b *browser) answeredBy(a app, pairs ...string) string {
	b.Helper()
	v := b.get(b.authorizeURL(a, append(pairs, "prompt", "none")...))
	if v.Away == nil {
		b.Fatalf("a page at %s", v.At)
	}
	return v.Away.Query().Get("error")
}

// Whoever is asked to sign in again has to be let do so: a sign-in by a clock that was ahead
// is not taken for a fresh one at one place and for an old one at another.
//
// Rules: FORM-8, PROMPT-3, RES-9, RES-18, SERVER-53
func TestASignInByAClockThatWasAheadIsFreshNowhere(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a, b := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}}), w.browser()
	w.resource(orders, func(r *storage.Resource) { r.MaxAge = 30 * time.Minute })
	w.wait(time.Hour)
	tokens := b.tokens(a, somebody, "scope", "openid read", "resource", orders)
	own := b.tokens(a, somebody)["access_token"].(string)
	w.wait(-time.Hour)
	w.refused(w.refreshWith(a, tokens), http.StatusBadRequest, "invalid_grant")
	if got := b.answeredBy(a, "max_age", "1800"); got != "login_required" {
		t.Errorf("with max_age: %q", got)
	}
	if got := w.userInfo(own); got.Status != http.StatusOK {
		t.Errorf("of which nothing is demanded: %d %s", got.Status, got.Body)
	}
	w.resource(w.URL, func(r *storage.Resource) { r.MaxAge = 30 * time.Minute })
	if got := w.userInfo(own); got.Status != http.StatusUnauthorized {
		t.Errorf("our own API: %d %s", got.Status, got.Body)
	}
	v := b.get(w.URL + "/login?again=1&then=%2Fx")
	if v.At.Path != "/login" {
		t.Fatalf("before a grave act: at %s", v.At)
	}
	v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
	if got := b.answeredBy(a, "max_age", "1800"); v.At.Path != "/x" || got != "" {
		t.Errorf("signed in again: at %s, with max_age %q", v.At, got)
	}
}

// Rule: RES-18
func TestAResourceHasPeopleSignInAsStronglyAsItDemands(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.guarded(somebody)
		const weak = "weak@example.test"
		w.person(weak)
		w.resource(orders, func(r *storage.Resource) { r.ACR = storage.ACRTwoFactors })
		w.resource(billing, func(r *storage.Resource) { r.ACR = storage.ACRPassword })
		a, b := w.app(apps.Registration{}), w.browser()
		at := func(resource string) []string { return []string{"scope", "openid read", "resource", resource} }
		w.is(b.tokens(a, weak, at(billing)...), []string{billing}, "read")
		if got := b.answeredBy(a, at(billing)...); got != "" {
			t.Errorf("what a password is enough for: %s", got)
		}
		if got := b.answeredBy(a, at(orders)...); got != "unmet_authentication_requirements" {
			t.Errorf("one factor, and no page: %q", got)
		}
		if v := b.get(w.authorizeURL(a, at(orders)...)); v.At.Path != "/login" {
			t.Errorf("one factor leads to %s", v.At)
		}
		if claims := w.browser().guardedClaims(a, d, at(orders)...); claims["acr"] != storage.ACRTwoFactors {
			t.Errorf("acr %v", claims["acr"])
		}
	})
}

// Rule: RES-18
func TestNoTokenIsForAResourceThatDemandsAStrongerSignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a, b := w.app(apps.Registration{}), w.browser()
		theirs := w.app(apps.Registration{Type: storage.ClientService})
		r := w.resource(orders, func(r *storage.Resource) { r.ClientID = theirs.ID })
		w.resource(billing)
		machine := named(form("grant_type", "client_credentials"), orders)
		service := w.app(apps.Registration{Type: storage.ClientService})
		asks := w.authorizeURL(a, "scope", "openid read") + "&" + url.Values{"resource": {orders, billing}}.Encode()
		code := b.through(b.get(asks), somebody).Away.Query().Get("code")
		tokens := w.redeem(a, code).JSON(t)
		active := func() any { return w.introspect(theirs, tokens["access_token"].(string)).JSON(t)["active"] }
		late := b.get(asks).Away.Query().Get("code")
		if active() != true {
			t.Error("before it is inactive")
		}
		w.demands(r, storage.ACRTwoFactors, 0)
		w.refused(w.redeem(a, late), http.StatusBadRequest, "invalid_grant")
		w.refused(w.refreshWith(a, tokens), http.StatusBadRequest, "invalid_grant")
		w.refused(w.refreshWith(a, tokens, "resource", orders), http.StatusBadRequest, "invalid_grant")
		if active() != false {
			t.Error("afterwards it is active")
		}
		if own := w.introspect(a, tokens["access_token"].(string)).JSON(t); own["active"] != true {
			t.Errorf("to its own client: %v", own)
		}
		w.is(w.granted(service, machine), []string{orders}, "read write") // nobody has to sign in
		w.is(w.redeem(a, late, "resource", billing).JSON(t), []string{billing}, "read")
		tokens2 := w.refreshWith(a, tokens, "resource", billing).JSON(t)
		w.is(tokens2, []string{billing}, "read")
		w.demands(r, storage.ACRPassword, 0)
		if active() != true {
			t.Error("once it is strong enough it is inactive")
		}
		if got := w.refreshWith(a, tokens2); got.Status != http.StatusOK {
			t.Errorf("strong enough: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: RES-18
func TestASignInThatIsTooOldForAResourceGivesNoTokensForIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.resource(orders, func(r *storage.Resource) { r.MaxAge = time.Hour })
		w.resource(billing)
		a, b := w.app(apps.Registration{}), w.browser()
		at := func(resource string) []string { return []string{"scope", "openid read", "resource", resource} }
		first, other := b.tokens(a, somebody, at(orders)...), b.tokens(a, somebody, at(billing)...)
		w.wait(50 * time.Minute)
		tokens := w.refreshWith(a, first).JSON(t)
		if left := tokens["expires_in"].(float64); left > 600 || left < 590 {
			t.Errorf("after 50 minutes of an hour a token lives %v seconds", left)
		}
		if got := w.refreshWith(a, other).JSON(t)["expires_in"]; got != 3600.0 {
			t.Errorf("of another resource: %v seconds", got)
		}
		if got := b.answeredBy(a, at(orders)...); got != "" {
			t.Errorf("after 50 minutes: %s", got)
		}
		w.wait(11 * time.Minute)
		w.refused(w.refreshWith(a, tokens), http.StatusBadRequest, "invalid_grant")
		if got := b.answeredBy(a, at(orders)...); got != "login_required" {
			t.Errorf("after an hour: %q", got)
		}
		if got := b.answeredBy(a, at(billing)...); got != "" {
			t.Errorf("of another resource: %s", got)
		}
		if got := b.answeredBy(a, append(at(orders), "max_age", "86400")...); got != "login_required" {
			t.Errorf("the request says more: %q", got)
		}
		v := b.get(w.authorizeURL(a, at(orders)...))
		if v.At.Path != "/login" {
			t.Fatalf("after an hour at %s", v.At)
		}
		v = b.through(v, somebody)
		w.is(w.redeem(a, v.Away.Query().Get("code")).JSON(t), []string{orders}, "read")
		if got := b.answeredBy(a, append(at(orders), "max_age", "0")...); got != "login_required" {
			t.Errorf("the request says less: %q", got)
		}
	})
}

// Rule: RES-18
func TestADeviceHasThePersonSignInAsItsResourceDemands(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		d := w.guarded(somebody)
		r := w.resource(orders, func(r *storage.Resource) { r.MaxAge = 5 * time.Minute })
		a := w.app(apps.Registration{Devices: true})
		begin := func() begun {
			got := w.post(devicePath, a, named(form("scope", "openid read"), orders)).JSON(t)
			return begun{a, got["device_code"].(string), got["user_code"].(string)}
		}
		enters := func(b *browser, one begun) visit {
			return b.submit(b.get(w.URL+"/device?user_code="+one.user), "device-form", form("user_code", one.user))
		}
		b := w.browser()
		b.typesCode(b.password(b.get(w.URL+"/login"), somebody), d.code(0))
		w.wait(6 * time.Minute) // a grave act would need no other sign-in
		one := begin()
		v := enters(b, one)
		if v.At.Path != "/login" {
			t.Fatalf("after six minutes at %s", v.At)
		}
		b.typesCode(b.password(v, somebody), d.code(0))
		if v = enters(b, one); v.At.Path != "/device/confirm" {
			t.Fatalf("signed in again, at %s", v.At)
		}
		b.submit(v, "consent-form", form("decision", "allow"))
		w.is(w.granted(a, form("grant_type", deviceGrant, "device_code", one.device)), []string{orders}, "read")

		w.demands(r, storage.ACRTwoFactors, 0)
		const weak = "weak@example.test"
		w.person(weak)
		two, c := begin(), w.browser()
		c.submit(c.get(w.URL+"/login"), "login-form", form("username", weak, "password", goodPassword))
		if v := enters(c, two); v.At.Path != "/login" {
			t.Errorf("by one factor at %s", v.At)
		}
		w.demands(r, "", 0)
		c.submit(enters(c, two), "consent-form", form("decision", "allow"))
		w.demands(r, storage.ACRTwoFactors, 0)
		w.refused(w.poll(two), http.StatusBadRequest, "invalid_grant")
		w.demands(r, "", 0)
		w.is(w.poll(two).JSON(t), []string{orders}, "read")
	})
}

// Rules: RES-18, HANDON-2
func TestNobodyGoesOnToAResourceThatDemandsAStrongerSignIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		c := w.chain()
		all, err := w.Store.ListResources(t.Context())
		w.must(err)
		target := all[0]
		if target.Identifier != billing {
			target = all[1]
		}
		w.wait(10 * time.Minute)
		for name, demand := range map[string]func(){
			"two factors": func() { w.demands(target, storage.ACRTwoFactors, 0) },
			"a fresh one": func() { w.demands(target, "", 9*time.Minute) },
		} {
			demand()
			got := c.exchange(c.token)
			if got.Status != http.StatusBadRequest || got.JSON(t)["error"] != "insufficient_user_authentication" {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		events := func() int {
			all, _, err := w.Store.ListAudit(t.Context(), storage.AuditFilter{Kind: "token.exchanged"}, storage.PageRequest{})
			w.must(err)
			return len(all)
		}
		if events() != 0 {
			t.Error("the trail tells of tokens that nobody got")
		}
		w.demands(target, storage.ACRPassword, 11*time.Minute)
		body := c.exchange(c.token).JSON(t)
		if left := body["expires_in"].(float64); left > 60 || events() != 1 {
			t.Errorf("%v, and %d in the trail", body, events())
		}
		w.demands(w.registeredAs(orders), storage.ACRTwoFactors, 0) // to which that was sent which it was exchanged for
		w.refused(c.exchange(body["access_token"].(string)), http.StatusBadRequest, "insufficient_user_authentication")
	})
}

// Rules: RES-18, VOUCH-2
func TestAnUpstreamVouchesForNobodyWhomItProvedTooWeakly(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, machines: true})
		c := w.company("trust_mfa", "true")
		r := w.resource(orders, func(r *storage.Resource) { r.ACR = storage.ACRTwoFactors })
		says := func(jti string, more map[string]any) string {
			claims := map[string]any{"scope": "read", "resource": orders, "jti": jti}
			for name, value := range more {
				claims[name] = value
			}
			return c.vouch(claims)
		}
		w.refused(c.presents(says("1", nil)), http.StatusBadRequest, "invalid_grant")
		w.is(c.presents(says("2", map[string]any{"amr": []string{"mfa"}})).JSON(t), []string{orders}, "read")
		w.demands(r, "", time.Minute)
		before := map[string]any{"auth_time": w.ambient.Now().Add(-2 * time.Minute).Unix()}
		w.refused(c.presents(says("3", before)), http.StatusBadRequest, "invalid_grant")
		w.is(c.presents(says("4", nil)).JSON(t), []string{orders}, "read")
		w.demands(r, "", 0)
		w.is(c.presents(says("5", nil)).JSON(t), []string{orders}, "read")
		w.guards(c.user) // nobody demands it, but they have a second factor
		w.refused(c.presents(says("6", nil)), http.StatusBadRequest, "invalid_grant")
		w.is(c.presents(says("7", map[string]any{"amr": []string{"mfa"}})).JSON(t), []string{orders}, "read")
	})
}

// Whoever comes with such a device again would otherwise have the same token again.
//
// Rule: RES-9
func TestADeviceHasPeopleSignInAsOurAPIsDemand(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		b := w.browser()
		b.typed(w.begin(w.screen()).user)
		w.wait(time.Hour)
		own := w.resource(w.URL, func(r *storage.Resource) { r.MaxAge = 30 * time.Minute })
		d := w.begin(w.screen())
		signedIn := func() visit {
			v := b.typed(d.user)
			if v.At.Path != "/login" {
				t.Fatalf("at %s", v.At)
			}
			return b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
		}
		signedIn()
		b.submit(b.typed(d.user), "consent-form", form("decision", "allow"))
		w.wait(10 * time.Second)
		token := w.granted(d.app, form("grant_type", deviceGrant, "device_code", d.device))["access_token"].(string)
		if got := w.userInfo(token); got.Status != http.StatusOK {
			t.Errorf("lately enough: %d %s", got.Status, got.Body)
		}
		w.demands(own, storage.ACRTwoFactors, 0)
		d = w.begin(w.screen())
		b.adds(signedIn(), &device{world: w, user: user})
		b.submit(b.typed(d.user), "consent-form", form("decision", "allow"))
		w.wait(10 * time.Second)
		token = w.granted(d.app, form("grant_type", deviceGrant, "device_code", d.device))["access_token"].(string)
		if got := w.userInfo(token); got.Status != http.StatusOK {
			t.Errorf("strongly enough: %d %s", got.Status, got.Body)
		}
	})
}
