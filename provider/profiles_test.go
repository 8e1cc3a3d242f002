package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// TestTheProfilesDifferOverHTTP asks the same of a platform and of a standard
// client, once for each difference (decision C2).
// Rules: AUTH-11, AUTH-16, AUTH-18, AUTH-20, CODE-7, REVOKE-5, INFO-2, CLIENT-2
func TestTheProfilesDifferOverHTTP(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	scopes := []string{"openid", "email", "data:read"}
	apart := map[string]app{
		"platform": w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: scopes,
			PostLogoutRedirectURIs: []string{bye}}),
		"standard": w.app(apps.Registration{Profile: storage.ProfileStandard, Scopes: scopes,
			PostLogoutRedirectURIs: []string{bye + "/standard"}}),
	}
	// authorized returns what the client learns from authorize: "code",
	// "id_token" or the error.
	authorized := func(pairs ...string) func(a app) string {
		return func(a app) string {
			b := w.browser()
			v := b.through(b.get(w.authorizeURL(a, pairs...)), somebody)
			if v.Away == nil {
				_, fields := v.form(b, "form-post")
				return outcome(fields)
			}
			return outcome(v.parameters(t))
		}
	}
	tokenError := func(pairs ...string) func(a app) string {
		return func(a app) string {
			body := w.token(a, form(pairs...)).JSON(t)
			if code, ok := body["error"].(string); ok {
				return code
			}
			scope, _ := body["scope"].(string)
			return "scope " + scope
		}
	}
	challenge := strings.Repeat("a", 43)
	cases := []struct {
		name               string
		ask                func(a app) string
		platform, standard string
	}{
		{"state with a space", authorized("state", "a b"), "invalid_request", "code"},
		{"state of the platform's alphabet", authorized("state", "aZ09,._-"), "code", "code"},
		{"state that is not ASCII", authorized("state", "é"), "invalid_request", "invalid_request"},
		{"no token_type_hint", func(a app) string {
			return http.StatusText(w.asClient("/authentication/v2/revoke", a, form("token", "x")).Status)
		}, "Bad Request", "OK"},
		{"id_token in the fragment", authorized("response_type", "id_token", "response_mode", "fragment", "nonce", "n"),
			"invalid_request", "id_token"},
		{"id_token by form_post", authorized("response_type", "id_token", "response_mode", "form_post", "nonce", "n"),
			"id_token", "id_token"},
		{"id_token without a nonce", authorized("response_type", "id_token", "response_mode", "form_post"),
			"id_token", "invalid_request"},
		{"code id_token without a nonce", authorized("response_type", "code id_token"), "code", "invalid_request"},
		{"a challenge without its method", authorized("code_challenge", challenge), "code", "invalid_request"},
		{"an unknown scope at authorize", authorized("scope", "openid no:such"), "invalid_scope", "code"},
		{"a scope that is not registered, at authorize", authorized("scope", "openid data:write"), "invalid_scope", "code"},
		{"an unknown scope for client_credentials",
			tokenError("grant_type", "client_credentials", "scope", "data:read no:such"), "invalid_scope", "scope data:read"},
		{"a scope that is not registered, for client_credentials",
			tokenError("grant_type", "client_credentials", "scope", "data:read data:write"), "invalid_scope", "scope data:read"},
		{"an unknown grant_type", tokenError("grant_type", "magic"), "invalid_request", "unsupported_grant_type"},
		{"user info without openid", func(a app) string {
			token := w.browser().tokens(a, somebody, "scope", "data:read")["access_token"].(string)
			return http.StatusText(w.userInfo(token).Status)
		}, "OK", "Forbidden"},
		{"logout to a registered address without a hint", func(a app) string {
			b, _ := w.signedIn(a)
			v := b.get(w.logoutURL("post_logout_redirect_uri", a.PostLogoutRedirectURIs[0]))
			if v.Away == nil {
				return "page"
			}
			return "redirect"
		}, "redirect", "page"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for profile, want := range map[string]string{"platform": c.platform, "standard": c.standard} {
				if got := c.ask(apart[profile]); got != want {
					t.Errorf("%s: got %s, want %s", profile, got, want)
				}
			}
		})
	}
}

// outcome names what an authorize answer brings.
func outcome(q map[string][]string) string {
	for _, name := range []string{"error", "code", "id_token"} {
		if values := q[name]; len(values) == 1 {
			if name == "error" {
				return values[0]
			}
			return name
		}
	}
	return "nothing"
}

// Rule: INTRO-3
func TestATokenWithoutScopesIsIntrospectedWithAnEmptyScope(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{Scopes: []string{"openid"}})
	token := w.granted(a, credentials())["access_token"].(string)
	got := w.introspect(a, token).JSON(t)
	if scope, ok := got["scope"]; !ok || scope != "" || got["active"] != true {
		t.Errorf("got %v", got)
	}
}
