package provider_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/apps"
)

// The subtests bear the names of the modules of the OpenID Foundation's suite
// whose demands they repeat, in every response mode and not only in the plan's.

// Rules: AUTH-24, AUTH-33, IDTOKEN-8, IDTOKEN-9
func TestModulesOfTheConformanceSuite(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{LeanIDToken: true})
	b := w.browser()
	b.code(a, somebody, "scope", "openid email") // the consent is remembered
	for _, mode := range []string{"query", "fragment", "form_post"} {
		inside := requestObject(`{"response_mode":"`+mode+`","state":"inside","redirect_uri":"`+callback+`"}`, "")
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run("oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported/"+mode+" "+method, func(t *testing.T) {
				got, to, q := b.answered(b.asked(method, w.authorizeURL(a, "state", "", "request", inside)))
				if got != mode || to != callback || q.Get("error") != "request_not_supported" || q.Get("state") != "inside" {
					t.Errorf("to %s by %s: %v", to, got, q)
				}
			})
			t.Run("oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported/"+mode+" "+method, func(t *testing.T) {
				to := w.authorizeURL(a, "response_mode", mode, "request_uri", "https://app.example.test/object.jwt")
				if got, _, q := b.answered(b.asked(method, to)); got != mode || q.Get("error") != "request_uri_not_supported" || q.Get("state") != "some-state" {
					t.Errorf("by %s: %v", got, q)
				}
			})
			t.Run("oidcc-ensure-request-object-with-redirect-uri/"+mode+" "+method, func(t *testing.T) {
				b.isError(b.asked(method, w.authorizeURL(a, "redirect_uri", callback+"/other", "request", inside)))
			})
		}
		t.Run("oidcc-scope-email/"+mode, func(t *testing.T) {
			_, _, q := b.answered(b.get(w.authorizeURL(a, "scope", "openid email", "response_mode", mode)))
			body := b.redeem(a, q.Get("code")).JSON(t)
			if claims := payload(t, body["id_token"]); claims["email"] != nil {
				t.Errorf("the ID token tells %v", claims)
			}
			if info := w.userInfo(body["access_token"].(string)).JSON(t); info["email"] != somebody || info["name"] != nil {
				t.Errorf("user info tells %v", info)
			}
		})
	}
	for _, mode := range []string{"fragment", "form_post"} {
		t.Run("oidcc-scope-email/code id_token by "+mode, func(t *testing.T) {
			to := w.authorizeURL(a, "scope", "openid email", "response_type", "code id_token", "nonce", "n", "response_mode", mode)
			_, _, q := b.answered(b.get(to))
			if claims := payload(t, q.Get("id_token")); claims["email"] != nil || strings.Count(q.Get("id_token"), ".") != 2 {
				t.Errorf("the ID token in front tells %v", claims)
			}
		})
	}
}
