package provider_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// Rule: AUTH-5
func TestTheIssuerIsInEveryAnswerOfEveryMode(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{})
		b := w.browser()
		b.code(a, somebody)
		for _, mode := range []string{"query", "fragment", "form_post"} {
			for outcomeOf, pairs := range map[string][]string{"code": nil, "invalid_request": {"max_age", "x"}} {
				v := b.get(w.authorizeURL(a, append(pairs, "response_mode", mode)...))
				var q map[string][]string
				switch {
				case v.Away == nil:
					_, q = v.form(b, "form-post")
				case mode == "query":
					q = v.Away.Query()
				default:
					q = v.parameters(t)
				}
				if outcome(q) != outcomeOf || len(q["iss"]) != 1 || q["iss"][0] != w.URL || len(q["state"]) != 1 ||
					q["state"][0] != "some-state" {
					t.Errorf("%s, %s: answer %v", mode, outcomeOf, q)
				}
			}
		}
	})
}

// Rule: AUTH-17
func TestScopeLimitsOfAuthorizeAreTwoThousandCharactersAndFiftyScopes(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	b.code(a, somebody)
	long := "openid " + strings.Repeat("x", 2000-len("openid "))
	for name, c := range map[string]struct {
		scope, want string
	}{
		"2000 characters": {long, "code"}, "2001 characters": {long + "x", "invalid_scope"},
		"50 scopes": {"openid " + manyScopes(49), "code"}, "51 scopes": {"openid " + manyScopes(50), "invalid_scope"},
	} {
		v := b.get(w.authorizeURL(a, "scope", c.scope))
		if v.Away == nil || outcome(v.Away.Query()) != c.want {
			t.Errorf("%s: sent to %v, want %s", name, v.Away, c.want)
		}
	}
}

// Rule: CODE-8
func TestAVerifierHasFortyThreeToAHundredAndTwentyEightCharacters(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	for length, status := range map[int]int{42: 400, 43: 200, 128: 200, 129: 400} {
		verifier := strings.Repeat("v", length)
		sum := sha256.Sum256([]byte(verifier))
		code := b.code(a, somebody, "code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]),
			"code_challenge_method", "S256")
		if got := b.redeem(a, code, "code_verifier", verifier); got.Status != status {
			t.Errorf("%d characters: status %d, want %d", length, got.Status, status)
		}
	}
}

// Rule: REFRESH-8
func TestARefreshTokenComesWithEveryCodeGrant(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{})
		b := w.browser()
		for _, pairs := range [][]string{nil, {"scope", "openid offline_access"},
			{"scope", "openid offline_access", "prompt", "consent"}, {"scope", "data:read"}} {
			if body := b.tokens(a, somebody, pairs...); body["refresh_token"] == nil {
				t.Errorf("%v: %v", pairs, body)
			}
		}
	})
}

// Rule: TOKEN-21
func TestARefreshedAnswerIsNotStoredAnywhere(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{})
		got := w.refreshWith(a, w.browser().tokens(a, somebody))
		if got.Status != http.StatusOK || got.Header.Get("Cache-Control") != "no-store" ||
			got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("status %d, headers %v", got.Status, got.Header)
		}
	})
}

// Rule: CODE-10
func TestCodesAndTokensCannotBeGuessed(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	random := regexp.MustCompile(`^[A-Za-z0-9_-]{43,}$`) // 256 bits and more
	seen := map[any]bool{}
	for range 3 {
		code := b.code(a, somebody)
		body := b.redeem(a, code).JSON(t)
		jti := payload(t, body["access_token"])["jti"]
		for _, secret := range []any{code, body["refresh_token"], jti} {
			if !random.MatchString(secret.(string)) || seen[secret] {
				t.Errorf("%v is short, or came before", secret)
			}
			seen[secret] = true
		}
	}
}

// Rule: CODE-9
func TestASpentCodeIsRememberedBeyondItsFiveMinutes(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	code := b.code(a, somebody)
	first := b.redeem(a, code).JSON(t)
	w.wait(30 * time.Minute)
	if got := w.userInfo(first["access_token"].(string)); got.Status != http.StatusOK {
		t.Fatalf("before: %d", got.Status)
	}
	w.refused(b.redeem(a, code), 400, "invalid_grant")
	if got := w.userInfo(first["access_token"].(string)); got.Status != http.StatusUnauthorized {
		t.Errorf("the first use's access token lives on: %d", got.Status)
	}
}

// Rule: AUTH-29
func TestAParkedRequestIsJudgedAnewWhenThePersonComesBack(t *testing.T) {
	changes := map[string]func(w *world, a app){
		"the client was disabled": func(w *world, a app) {
			w.must(w.Store.SetClientDisabled(w.Context(), w.act(), a.ID, true))
		},
		"the redirect URI is gone": func(w *world, a app) {
			others := []string{callback + "/other"}
			_, err := w.Apps.Update(w.Context(), w.act(), a.ID, apps.Change{RedirectURIs: &others})
			w.must(err)
		},
		"nothing changed": nil,
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, settings{})
			w.person(somebody)
			a := w.app(apps.Registration{})
			b := w.browser()
			v := b.submit(b.get(w.authorizeURL(a)), "login-form", form("username", somebody, "password", goodPassword))
			if change == nil {
				if v = b.submit(v, "consent-form", form("decision", "allow")); v.Away == nil {
					t.Errorf("stayed on %s", v.At)
				}
				return
			}
			change(w, a)
			w.wait(clientLag)
			if v = b.submit(v, "consent-form", form("decision", "allow")); v.Away != nil || v.Status != http.StatusBadRequest {
				t.Errorf("status %d, sent to %v", v.Status, v.Away)
			}
		})
	}
}

// Rule: TOKEN-27
func TestTokensFromBeforeAClientWasEnabledAgainStayDead(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}})
		two := w.granted(a, credentials("scope", "data:read"))["access_token"].(string)
		three := w.browser().tokens(a, somebody)
		w.wait(time.Minute)
		w.must(w.Store.SetClientDisabled(t.Context(), w.act(), a.ID, true))
		w.wait(clientLag)
		w.must(w.Store.SetClientDisabled(t.Context(), w.act(), a.ID, false))
		w.wait(clientLag)
		for name, token := range map[string]string{
			"two-legged": two, "three-legged": three["access_token"].(string), "refresh": three["refresh_token"].(string),
		} {
			if w.introspect(a, token).JSON(t)["active"] != false {
				t.Errorf("the %s token from before lives again", name)
			}
		}
		fresh := w.granted(a, credentials("scope", "data:read"))["access_token"].(string)
		if w.introspect(a, fresh).JSON(t)["active"] != true {
			t.Error("a token from afterwards is dead, too")
		}
	})
}

// Rule: TOKEN-6
func TestATwoLeggedTokenIsNobody(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	a := w.app(apps.Registration{Type: storage.ClientService, Scopes: []string{"data:read"}})
	claims := payload(t, w.granted(a, credentials())["access_token"])
	if claims["userid"] != nil || claims["gid"] != nil || claims["sub"] != a.ID || len(a.ID) == len(user.ID) {
		t.Errorf("claims %v; ids %q and %q could be taken for each other", claims, a.ID, user.ID)
	}
}
