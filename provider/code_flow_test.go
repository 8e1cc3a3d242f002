package provider_test

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const somebody = "person@example.test"

// Rules: TOKEN-4, TOKEN-12, TOKEN-21
func TestCodeFlowGivesEveryTokenOfTheSpecification(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		user := w.person(somebody)
		a := w.app(apps.Registration{Profile: storage.ProfilePlatform})
		v := w.browser().through(w.browser().get(w.URL+"/"), somebody)
		if v.At.Path != "/" {
			t.Fatalf("plain sign-in ends on %s", v.At)
		}

		b := w.browser()
		got := b.redeem(a, b.code(a, somebody, "nonce", "n-0S6"))
		body := got.JSON(t)
		w.threeLegged(got)
		refreshed := w.refreshWith(a, b.tokens(a, somebody, "scope", "openid"))
		w.threeLegged(refreshed)
		if body["token_type"] != "Bearer" || body["expires_in"] != float64(3600) {
			t.Errorf("token_type and expires_in: %s", got.Body)
		}
		if at := time.Unix(int64(body["expires_at"].(float64)), 0); at.Sub(w.ambient.Now()) > time.Hour ||
			at.Sub(w.ambient.Now()) < time.Hour-time.Minute {
			t.Errorf("expires_at is %v", at)
		}
		if got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("headers %v", got.Header)
		}
		claims, err := w.Keys.VerifyAccess(t.Context(), body["access_token"].(string))
		if err != nil || claims.UserID != user.ID || claims.Subject != user.ID ||
			claims.ClientID != a.ID || claims.GrantID == "" {
			t.Errorf("claims %+v, error %v", claims, err)
		}
	})
}

// threeLegged holds an answer to the fields of S1 2.4, and to no other.
func (w *world) threeLegged(got answer) {
	w.Helper()
	body := got.JSON(w)
	fields := slices.Sorted(maps.Keys(body))
	want := []string{"access_token", "expires_at", "expires_in", "id_token", "refresh_token", "token_type"}
	if diff := cmp.Diff(want, fields); diff != "" || got.Status != http.StatusOK {
		w.Errorf("status %d, fields (-want +got):\n%s", got.Status, diff)
	}
	for _, field := range []string{"access_token", "refresh_token", "id_token", "token_type"} {
		if s, _ := body[field].(string); s == "" {
			w.Errorf("%s is %v", field, body[field])
		}
	}
}

// Rules: AUTH-5, AUTH-7
func TestAuthorizeAnswerCarriesStateAndIssuer(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{RedirectURIs: []string{"https://app.example.test/callback?dummy1=lorem&dummy2=ipsum"}})
	b := w.browser()
	v := b.through(b.get(w.authorizeURL(a, "state", `"<>#&%`)), somebody)
	q := v.Away.Query()
	if q.Get("state") != `"<>#&%` || q.Get("iss") != w.URL || q.Get("code") == "" || q.Get("dummy1") != "lorem" ||
		q.Get("dummy2") != "ipsum" {
		t.Errorf("answer %s", v.Away)
	}
	if len(q) != 5 {
		t.Errorf("more parameters than asked for: %v", q)
	}
}

// Rule: AUTH-8
func TestConsentIsAskedOnceForWhatIsNew(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	b.code(a, somebody, "scope", "openid email")

	if v := b.get(w.authorizeURL(a, "scope", "email openid")); v.Away == nil {
		t.Errorf("asked again on %s", v.At)
	}
	v := b.get(w.authorizeURL(a, "scope", "openid profile"))
	if v.Away != nil || v.At.Path != "/consent" {
		t.Fatalf("a new scope was not asked for: %v", v.Away)
	}
	if v = b.through(v, somebody); v.Away.Query().Get("code") == "" {
		t.Errorf("answer %s", v.Away)
	}
}

// Rule: AUTH-9
func TestDeniedConsentIsAccessDeniedAndRemembersNothing(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	v := b.submit(b.get(w.authorizeURL(a)), "login-form", form("username", somebody, "password", goodPassword))
	v = b.submit(v, "consent-form", form("decision", "deny"))
	if q := v.Away.Query(); q.Get("error") != "access_denied" || q.Get("state") != "some-state" || q.Get("code") != "" {
		t.Errorf("answer %s", v.Away)
	}
	if v := b.get(w.authorizeURL(a)); v.At.Path != "/consent" {
		t.Errorf("the next request went to %s", v.At)
	}
}

// Rules: AUTH-10, AUTH-30
func TestConsentOfOneSessionDoesNotCountForAnother(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	w.person("other@example.test")
	a := w.app(apps.Registration{})
	mine, theirs := w.browser(), w.browser()
	v := mine.submit(mine.get(w.authorizeURL(a)), "login-form", form("username", somebody, "password", goodPassword))
	consent := v.At.String()
	request := v.At.Query().Get("request")

	// The other person is signed in, and is lured to the first one's request.
	theirs.through(theirs.get(w.URL+"/login"), "other@example.test")
	mine.submit(v, "consent-form", form("decision", "allow")) // also uses the request up
	lured := theirs.get(w.URL + "/authentication/v2/authorize/resume?request=" + url.QueryEscape(request))
	if lured.Away != nil {
		t.Errorf("the other person's browser went to %s", lured.Away)
	}
	if again := theirs.get(consent); again.Status != http.StatusGone {
		t.Errorf("a used-up request answers %d", again.Status)
	}
}

// Rule: CODE-1
func TestCodeIsSpentByItsFirstUseAndASecondOneRevokesWhatItGave(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{})
		b := w.browser()
		code := b.code(a, somebody)
		first := b.redeem(a, code).JSON(t)
		if got := w.userInfo(first["access_token"].(string)); got.Status != http.StatusOK {
			t.Fatalf("user info before: %d", got.Status)
		}
		w.refused(b.redeem(a, code), 400, "invalid_grant")
		if got := w.userInfo(first["access_token"].(string)); got.Status != http.StatusUnauthorized {
			t.Errorf("user info after: %d", got.Status)
		}
		w.refused(w.refreshWith(a, first), 400, "invalid_grant")
	})
}

// Rule: CODE-3
func TestCodeOfAnotherClientIsRefusedAndUnharmed(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a, thief := w.app(apps.Registration{}), w.app(apps.Registration{Name: "Other App"})
		b := w.browser()
		code := b.code(a, somebody)
		w.refused(b.redeem(thief, code), 400, "invalid_grant")
		first := b.redeem(a, code)
		if first.Status != http.StatusOK {
			t.Fatalf("the owner's redemption: %d %s", first.Status, first.Body)
		}
		w.refused(b.redeem(thief, code), 400, "invalid_grant")
		if got := w.userInfo(first.JSON(t)["access_token"].(string)); got.Status != http.StatusOK {
			t.Errorf("another client's try revoked the owner's tokens: %d", got.Status)
		}
	})
}

// Rule: CODE-2
func TestCodeLivesFiveMinutes(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	late := b.code(a, somebody)
	w.wait(5 * time.Minute)
	w.refused(b.redeem(a, late), 400, "invalid_grant")
	early := b.code(a, somebody)
	w.wait(5*time.Minute - 10*time.Second)
	if got := b.redeem(a, early); got.Status != http.StatusOK {
		t.Errorf("within five minutes: %d %s", got.Status, got.Body)
	}
}

// Rule: CODE-4
func TestRedemptionNeedsTheSameRedirectURI(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		other := "https://app.example.test/other"
		a := w.app(apps.Registration{RedirectURIs: []string{callback, other}})
		b := w.browser()
		w.refused(b.redeem(a, b.code(a, somebody), "redirect_uri", other), 400, "invalid_grant")
		w.refused(b.redeem(a, b.code(a, somebody), "redirect_uri", ""), 400, "invalid_request")
		if got := b.redeem(a, b.code(a, somebody), "redirect_uri", callback); got.Status != http.StatusOK {
			t.Errorf("the same URI: %d %s", got.Status, got.Body)
		}
		verifier := strings.Repeat("v", 43)
		sum := sha256.Sum256([]byte(verifier))
		bound := []string{"code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method", "S256"}
		without := []string{"redirect_uri", "", "code_verifier", verifier}
		if got := b.redeem(a, b.code(a, somebody, bound...), without...); got.Status != http.StatusOK {
			t.Errorf("none, where a challenge binds the code: %d %s", got.Status, got.Body)
		}
		w.refused(b.redeem(a, b.code(a, somebody, bound...), "redirect_uri", other, "code_verifier", verifier), 400,
			"invalid_grant")
		strict := w.app(apps.Registration{Profile: storage.ProfilePlatform})
		w.refused(b.redeem(strict, b.code(strict, somebody, bound...), without...), 400, "invalid_request")

		native := w.app(apps.Registration{Type: storage.ClientNative, RedirectURIs: []string{"http://localhost/callback"}})
		native.RedirectURIs = []string{"http://localhost:58135/callback"} // any port, but then that one
		for uri, status := range map[string]int{"http://localhost:58135/callback": 200,
			"http://localhost:58136/callback": 400, "http://localhost/callback": 400,
			"http://127.0.0.1:58135/callback": 400} {
			got := b.redeem(native, b.code(native, somebody, bound...), "redirect_uri", uri, "code_verifier", verifier)
			if got.Status != status {
				t.Errorf("%s: %d %s", uri, got.Status, got.Body)
			}
		}
	})
}

// Rule: CODE-13
func TestACodeThatItsClientWouldNotGetTodayIsGoodForNothing(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	const other = "https://app.example.test/other"
	must := true
	for name, c := range map[string]struct {
		change apps.Change
		dead   bool
	}{
		"its redirect URI is taken":   {apps.Change{RedirectURIs: &[]string{other}}, true},
		"PKCE is demanded":            {apps.Change{RequirePKCE: &must}, true},
		"another redirect URI beside": {apps.Change{RedirectURIs: &[]string{other, callback}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := w.app(apps.Registration{RedirectURIs: []string{callback}})
			b := w.browser()
			code, used := b.code(a, somebody), b.tokens(a, somebody)
			_, err := w.Apps.Update(t.Context(), w.act(), a.ID, c.change)
			w.must(err)
			w.wait(time.Second) // until the change acts
			if got := b.redeem(a, code); (got.Status == http.StatusBadRequest) != c.dead {
				t.Errorf("status %d: %s", got.Status, got.Body)
			}
			if got := b.refreshWith(a, used); got.Status != http.StatusOK {
				t.Errorf("what an earlier code gave: %d %s", got.Status, got.Body)
			}
		})
	}
	phone := w.app(apps.Registration{Type: storage.ClientNative, RedirectURIs: []string{"http://127.0.0.1/back"}})
	phone.RedirectURIs[0] = "http://127.0.0.1:5123/back"
	w.browser().tokensWithPKCE(phone, somebody) // any port of a loopback address counts as registered
}

// Rules: CODE-5, CODE-11
func TestPKCE(t *testing.T) {
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
		"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	with := func() string {
		return b.code(a, somebody, "code_challenge", challenge, "code_challenge_method", "S256")
	}
	if got := b.redeem(a, with(), "code_verifier", verifier); got.Status != http.StatusOK {
		t.Errorf("the right verifier: %d %s", got.Status, got.Body)
	}
	w.refused(b.redeem(a, with()), 400, "invalid_grant")
	w.refused(b.redeem(a, b.code(a, somebody), "code_verifier", verifier), 400, "invalid_grant")

	t.Run("a wrong verifier leaves the code for the right one", func(t *testing.T) {
		code := with()
		w.refused(b.redeem(a, code, "code_verifier", strings.Repeat("x", 43)), 400, "invalid_grant")
		if got := b.redeem(a, code, "code_verifier", verifier); got.Status != http.StatusOK {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
	})
	t.Run("a wrong verifier and then none is refused", func(t *testing.T) {
		code := with()
		w.refused(b.redeem(a, code, "code_verifier", strings.Repeat("x", 43)), 400, "invalid_grant")
		w.refused(b.redeem(a, code), 400, "invalid_grant")
	})
	t.Run("the fifth wrong verifier spends the code", func(t *testing.T) {
		code := with()
		for range storage.MaxVerifierFailures {
			w.refused(b.redeem(a, code, "code_verifier", strings.Repeat("x", 43)), 400, "invalid_grant")
		}
		w.refused(b.redeem(a, code, "code_verifier", verifier), 400, "invalid_grant")
	})
}

// Rule: CODE-6
func TestPublicClientsMustUsePKCE(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		for _, kind := range []storage.ClientType{storage.ClientNative, storage.ClientSPA} {
			t.Run(string(kind), func(t *testing.T) {
				a := w.app(apps.Registration{Type: kind})
				b := w.browser()
				if v := b.get(w.authorizeURL(a)); v.Away == nil || v.Away.Query().Get("error") != "invalid_request" {
					t.Errorf("without a challenge: %v", v.Away)
				}
				body := b.tokensWithPKCE(a, somebody)
				if body["refresh_token"] == nil {
					t.Errorf("with a challenge: %v", body)
				}
			})
		}
		t.Run("a web client registered with require_pkce", func(t *testing.T) {
			a := w.app(apps.Registration{RequirePKCE: true})
			if v := w.browser().get(w.authorizeURL(a)); v.Away == nil || v.Away.Query().Get("error") != "invalid_request" {
				t.Errorf("got %v", v.Away)
			}
		})
	})
}

// Rule: TOKEN-7
func TestAccessTokenScopeIsWhatWasGranted(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"openid", "email", "data:read"}})
	body := w.browser().tokens(a, somebody, "scope", "openid data:read profile")
	claims, err := w.Keys.VerifyAccess(t.Context(), body["access_token"].(string))
	if err != nil || !slices.Equal(claims.Scopes(), []string{"openid", "data:read"}) {
		t.Errorf("scopes %v, error %v", claims.Scopes(), err)
	}
	if body["scope"] != "openid data:read" {
		t.Errorf("the answer says %v", body["scope"])
	}
}
