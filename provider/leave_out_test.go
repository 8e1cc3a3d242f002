package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
)

// scopesOf returns the scopes of the access token that an authorize answer leads to.
func (b *browser) scopesOf(a app, v visit) []string {
	b.Helper()
	if v.Away == nil || v.Away.Query().Get("code") == "" {
		b.Fatalf("no code: sent to %v from %s, status %d\n%s", v.Away, v.At, v.Status, v.Body)
	}
	got := b.redeem(a, v.Away.Query().Get("code"))
	body := got.JSON(b)
	told := strings.Fields(payload(b, body["access_token"])["scope"].(string))
	if said := strings.Fields(body["scope"].(string)); !slices.Equal(said, told) {
		b.Errorf("the answer says %v, the token %v", said, told)
	}
	slices.Sort(told)
	return told
}

func (b *browser) atConsent(a app, pairs ...string) visit {
	b.Helper()
	v := b.get(b.authorizeURL(a, pairs...))
	if v.Away == nil && v.At.Path == "/login" {
		v = b.submit(v, "login-form", form("username", somebody, "password", goodPassword))
	}
	if v.Away != nil || v.At.Path != "/consent" {
		b.Fatalf("nobody is asked: sent to %v from %s", v.Away, v.At)
	}
	return v
}

// Rules: ACCESS-5, ACCESS-6
func TestAPersonLeavesOutWhatTheAppMarksAsOptional(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		a := w.app(apps.Registration{Scopes: []string{"openid", "profile", "email", "data:read", "data:write"},
			OptionalScopes: []string{"email", "data:write"}})
		b, all := w.browser(), []string{"scope", "openid profile email data:write", "claims", `{"userinfo":{"email":null}}`}
		page := b.atConsent(a, all...)
		for name, want := range map[string]bool{"email": true, "data:write": true, "profile": false,
			"openid": false, "data:read": false} {
			if got := strings.Contains(string(page.Body), `name="scope.`+name+`" value="on" checked`); got != want {
				t.Errorf("%s can be left out: %v", name, got)
			}
		}
		got := b.submit(page, "consent-form", form("decision", "allow", "scope.data:write", "on"))
		if diff := cmp.Diff([]string{"data:write", "openid", "profile"}, b.scopesOf(a, got)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		again := b.get(w.authorizeURL(a, all...))
		if diff := cmp.Diff([]string{"data:write", "openid", "profile"}, b.scopesOf(a, again)); diff != "" {
			t.Errorf("without being asked: -want +got:\n%s", diff)
		}
		info := w.userInfo(b.tokens(a, somebody, all...)["access_token"].(string)).JSON(t)
		if info["email"] != nil || info["name"] == nil {
			t.Errorf("user info tells %v", info)
		}

		wider := b.atConsent(a, "scope", "openid profile email data:write data:read") // for data:read
		if !strings.Contains(string(wider.Body), `name="scope.email" value="on">`) ||
			strings.Contains(string(wider.Body), `name="scope.data:write"`) {
			t.Errorf("what was left out is not offered as it was:\n%s", wider.Body)
		}
		changed := b.atConsent(a, append(all, "prompt", "consent")...)
		got = b.submit(changed, "consent-form", form("decision", "allow", "scope.email", "on"))
		if diff := cmp.Diff([]string{"email", "openid", "profile"}, b.scopesOf(a, got)); diff != "" {
			t.Errorf("after a change of mind: -want +got:\n%s", diff)
		}
		consent, err := w.Store.FindConsent(t.Context(), user.ID, a.ID)
		w.must(err)
		if diff := cmp.Diff([][]string{{"email", "openid", "profile"}, {"data:write"}},
			[][]string{consent.Scopes, consent.LeftOut}); diff != "" {
			t.Errorf("remembered: -want +got:\n%s", diff)
		}
		_, err = w.Apps.Update(t.Context(), w.act(), a.ID, apps.Change{OptionalScopes: new([]string{"email"})})
		w.must(err)
		w.wait(clientLag)
		b.atConsent(a, all...) // what is not optional any more is asked about again
	})
}

// Rule: ACCESS-6
func TestWhatTheConsentFormDidNotOfferChangesNothing(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"openid", "profile", "email", "data:read"},
		OptionalScopes: []string{"email"}})
	asked := []string{"scope", "openid profile email", "prompt", "consent"}
	for name, c := range map[string]struct {
		form   url.Values
		status int
		scopes []string
	}{
		"as it is":                       {form("scope.email", "on"), 0, []string{"email", "openid", "profile"}},
		"a scope that was not asked for": {form("scope.data:read", "on"), 0, []string{"openid", "profile"}},
		"leaving out what is not optional": {form("scope.profile", "off", "scope.openid", ""), 0,
			[]string{"openid", "profile"}},
		"another list of what is optional": {form("optional", "profile email"), http.StatusBadRequest, nil},
		"no list of what is optional":      {form("optional", ""), http.StatusBadRequest, nil},
		"another list of what was shown": {form("shown", "openid profile email data:read"),
			http.StatusBadRequest, nil},
		"what is optional as part of the other": {form("shown", "openid profile", "optional", "email email"),
			http.StatusBadRequest, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := w.browser()
			page := b.atConsent(a, asked...)
			c.form.Set("decision", "allow")
			got := b.submit(page, "consent-form", c.form)
			if c.status != 0 {
				if got.Status != c.status || got.Away != nil {
					t.Errorf("status %d, sent to %v", got.Status, got.Away)
				}
				return
			}
			if diff := cmp.Diff(c.scopes, b.scopesOf(a, got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Rule: ACCESS-6
func TestWhoLeavesOutEverythingAllowsNothing(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"data:read", "data:search"},
		OptionalScopes: []string{"data:read", "data:search"}})
	b := w.browser()
	got := b.submit(b.atConsent(a, "scope", "data:read"), "consent-form", form("decision", "allow"))
	if got.Away == nil || got.Away.Query().Get("error") != "access_denied" {
		t.Errorf("sent to %v", got.Away)
	}
	got = b.submit(b.atConsent(a, "scope", "data:read data:search"), "consent-form",
		form("decision", "allow", "scope.data:search", "on"))
	if diff := cmp.Diff([]string{"data:search"}, b.scopesOf(a, got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	b.atConsent(a, "scope", "data:read") // nothing would be left of it
}

// Rules: ACCESS-7, ACCESS-8
func TestConsentSaysWhoVouchesAndWhatIsGrave(t *testing.T) {
	w := newWorld(t, settings{})
	owner := w.person("dev@example.test")
	w.person(somebody)
	scopes := []string{"openid", "data:read", "data:write", "account:read"}
	for name, c := range map[string]struct {
		r    apps.Registration
		want []string
	}{
		"the operator's":          {apps.Registration{}, nil},
		"somebody's":              {apps.Registration{OwnerUserID: owner.ID}, []string{"unvouched"}},
		"one that is vouched for": {apps.Registration{OwnerUserID: owner.ID, Vouched: true}, []string{"vouched"}},
	} {
		c.r.Scopes = scopes
		page := string(w.browser().atConsent(w.app(c.r), "scope", "openid data:read data:write account:read").Body)
		var got []string
		for _, mark := range []string{"unvouched", "vouched"} {
			if strings.Contains(page, `id="`+mark+`"`) {
				got = append(got, mark)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
		_, shouted, _ := strings.Cut(page, `id="administrates"`)
		shouted, plain, _ := strings.Cut(shouted, "</section>")
		plain, grave, _ := strings.Cut(plain, `id="grave-scopes"`)
		if !strings.Contains(shouted, "account:read") || !strings.Contains(plain, "data:read") ||
			strings.Contains(plain, "data:write") || !strings.Contains(grave, "data:write") {
			t.Errorf("%s: the scopes are not apart:\n%s", name, page)
		}
	}
}
