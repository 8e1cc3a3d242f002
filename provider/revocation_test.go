package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// Rules: INTRO-1, INTRO-3
func TestIntrospectionOfOwnTokens(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	a := w.app(apps.Registration{})
	body := w.browser().tokens(a, somebody, "scope", "openid data:read")
	access := payload(t, body["access_token"])
	got := w.introspect(a, body["access_token"].(string))
	want := map[string]any{"active": true, "scope": "openid data:read", "client_id": a.ID,
		"exp": access["exp"], "userid": user.ID}
	if diff := cmp.Diff(want, got.JSON(t)); diff != "" || got.Status != 200 ||
		got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("access token: %d %v (-want +got):\n%s", got.Status, got.Header, diff)
	}
	refresh := w.introspect(a, body["refresh_token"].(string)).JSON(t)
	exp, _ := refresh["exp"].(float64)
	if left := time.Unix(int64(exp), 0).Sub(w.ambient.Now()); left > 15*24*time.Hour ||
		left < 15*24*time.Hour-time.Minute {
		t.Errorf("a refresh token has %v left", left)
	}
	delete(refresh, "exp")
	want = map[string]any{"active": true, "scope": "openid data:read", "client_id": a.ID, "userid": user.ID}
	if diff := cmp.Diff(want, refresh); diff != "" {
		t.Errorf("refresh token (-want +got):\n%s", diff)
	}
	own := w.granted(a, credentials("scope", "data:read"))
	if two := w.introspect(a, own["access_token"].(string)).JSON(t); two["active"] != true || two["userid"] != nil {
		t.Errorf("two-legged token: %v", two)
	}
}

// Rule: INTRO-2
func TestIntrospectionTellsNothingOfOtherTokens(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a, other := w.app(apps.Registration{}), w.app(apps.Registration{Name: "Other App"})
	body := w.browser().tokens(a, somebody)
	inactive := map[string]any{"active": false}
	for name, token := range map[string]string{
		"another client's access token":  body["access_token"].(string),
		"another client's refresh token": body["refresh_token"].(string),
	} {
		if diff := cmp.Diff(inactive, w.introspect(other, token).JSON(t)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	spent := body["refresh_token"].(string)
	w.refreshWith(a, body)
	for name, token := range map[string]string{
		"an ID token": body["id_token"].(string), "garbage": "x", "a changed token": flip(body["access_token"].(string), 40),
		"a spent refresh token": spent,
	} {
		if diff := cmp.Diff(inactive, w.introspect(a, token).JSON(t)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	w.wait(61 * 60e9)
	if diff := cmp.Diff(inactive, w.introspect(a, body["access_token"].(string)).JSON(t)); diff != "" {
		t.Errorf("an expired token:\n%s", diff)
	}
	last := w.browser().tokens(a, somebody)["refresh_token"].(string)
	if w.introspect(a, last).JSON(t)["active"] != true {
		t.Error("a fresh refresh token is not active")
	}
	w.wait(15 * 24 * time.Hour)
	if diff := cmp.Diff(inactive, w.introspect(a, last).JSON(t)); diff != "" {
		t.Errorf("an expired refresh token:\n%s", diff)
	}
	w.refused(w.asClient("/authentication/v2/introspect", a, form()), 400, "invalid_request")
	w.refused(w.introspect(app{other.Client, "wrong"}, "x"), 401, "invalid_client")
}

// Rules: REVOKE-1, REVOKE-4
func TestRevokedAccessTokenIsDeadEverywhereAndAlone(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	body := w.browser().tokens(a, somebody)
	access := body["access_token"].(string)
	got := w.revoke(a, access, "access_token")
	if got.Status != 200 || len(got.Body) != 0 || got.Header.Get("Content-Type") != "" {
		t.Errorf("answer %d %q %v", got.Status, got.Body, got.Header)
	}
	if w.userInfo(access).Status != http.StatusUnauthorized || w.introspect(a, access).JSON(t)["active"] != false {
		t.Error("the token lives on")
	}
	if again := w.revoke(a, access, "access_token"); again.Status != 200 {
		t.Errorf("revoking it again: %d", again.Status)
	}
	if next := w.refreshWith(a, body); next.Status != http.StatusOK {
		t.Errorf("the refresh token went along: %d %s", next.Status, next.Body)
	}
}

// Rule: REVOKE-2
func TestRevokedRefreshTokenTakesItsGrantAlong(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	for name, hint := range map[string]string{"right hint": "refresh_token", "wrong hint": "access_token"} {
		t.Run(name, func(t *testing.T) {
			a := w.app(apps.Registration{})
			body := w.browser().tokens(a, somebody)
			if got := w.revoke(a, body["refresh_token"].(string), hint); got.Status != 200 || len(got.Body) != 0 ||
				got.Header.Get("Content-Type") != "" {
				t.Fatalf("got %d %q %v", got.Status, got.Body, got.Header)
			}
			w.refused(w.refreshWith(a, body), 400, "invalid_grant")
			if w.userInfo(body["access_token"].(string)).Status != http.StatusUnauthorized {
				t.Error("the access token lives on")
			}
		})
	}
}

// Rule: INTRO-4
func TestPublicClientsRevokeAndIntrospectTheirOwnTokens(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	for _, kind := range []storage.ClientType{storage.ClientSPA, storage.ClientNative} {
		a, other := w.app(apps.Registration{Type: kind}), w.app(apps.Registration{Type: kind})
		body := w.browser().tokensWithPKCE(a, somebody)
		access, refresh := body["access_token"].(string), body["refresh_token"].(string)
		for _, token := range []string{access, refresh} {
			if got := w.introspect(a, token).JSON(t); got["active"] != true || got["userid"] != user.ID {
				t.Errorf("%s: its own token: %v", kind, got)
			}
			if got := w.introspect(other, token).JSON(t); len(got) != 1 || got["active"] != false {
				t.Errorf("%s: another's token: %v", kind, got)
			}
		}
		w.revoke(other, refresh, "refresh_token")
		if got := w.introspect(a, refresh).JSON(t); got["active"] != true {
			t.Errorf("%s: another client revoked it: %v", kind, got)
		}
		if got := w.revoke(a, refresh, "refresh_token"); got.Status != http.StatusOK || len(got.Body) != 0 {
			t.Errorf("%s: revoking its own: %d %s", kind, got.Status, got.Body)
		}
		for _, token := range []string{access, refresh} {
			if got := w.introspect(a, token).JSON(t); got["active"] != false {
				t.Errorf("%s: a token lives on: %v", kind, got)
			}
		}
	}
}

// Rule: REVOKE-3
func TestRevocationOfUnknownOrForeignTokensChangesNothing(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a, other := w.app(apps.Registration{}), w.app(apps.Registration{Name: "Other App"})
	body := w.browser().tokens(a, somebody)
	for _, token := range []string{body["access_token"].(string), body["refresh_token"].(string), "garbage"} {
		if got := w.revoke(other, token, "access_token"); got.Status != 200 || len(got.Body) != 0 {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
	}
	if w.userInfo(body["access_token"].(string)).Status != 200 || w.refreshWith(a, body).Status != 200 {
		t.Error("another client's revocation worked")
	}
}

// Rule: REVOKE-5
func TestRevocationHint(t *testing.T) {
	w := newWorld(t, settings{})
	platform, standard := w.app(apps.Registration{Profile: storage.ProfilePlatform}), w.app(apps.Registration{})
	spa := w.app(apps.Registration{Type: storage.ClientSPA})
	w.refused(w.asClient("/authentication/v2/revoke", platform, form("token", "x")), 400, "invalid_request")
	if got := w.asClient("/authentication/v2/revoke", standard, form("token", "x")); got.Status != 200 {
		t.Errorf("a standard client without a hint: %d %s", got.Status, got.Body)
	}
	if got := w.revoke(spa, "x", "refresh_token"); got.Status != 200 {
		t.Errorf("a public client: %d %s", got.Status, got.Body)
	}
	for _, a := range []app{platform, standard} {
		w.refused(w.revoke(a, "x", "id_token"), 400, "unsupported_token_type")
		w.refused(w.asClient("/authentication/v2/revoke", a, form("token_type_hint", "access_token")), 400, "invalid_request")
	}
}

// Rules: INFO-1, INFO-2
func TestUserInfoRefusals(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}})
	platform := w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: []string{"openid", "data:read"}})
	two := w.granted(a, credentials("scope", "data:read"))["access_token"].(string)
	noOpenID := w.browser().tokens(a, somebody, "scope", "data:read")["access_token"].(string)
	three := w.browser().tokens(platform, somebody, "scope", "data:read")["access_token"].(string)

	for name, token := range map[string]string{"two-legged": two, "garbage": "x.y.z"} {
		got := w.userInfo(token)
		w.refused(got, 401, "invalid_token")
		if !strings.Contains(got.Header.Get("WWW-Authenticate"), `error="invalid_token"`) {
			t.Errorf("%s: %q", name, got.Header.Get("WWW-Authenticate"))
		}
	}
	got := w.userInfo(noOpenID)
	w.refused(got, 403, "insufficient_scope")
	if !strings.Contains(got.Header.Get("WWW-Authenticate"), `error="insufficient_scope"`) {
		t.Errorf("WWW-Authenticate %q", got.Header.Get("WWW-Authenticate"))
	}
	if got := w.userInfo(three); got.Status != 200 || got.JSON(t)["sub"] == "" {
		t.Errorf("a platform client needs no openid: %d %s", got.Status, got.Body)
	}
	query, err := http.Get(w.URL + "/userinfo?access_token=" + three)
	w.must(err)
	defer query.Body.Close()
	if query.StatusCode == 200 {
		t.Error("a token in the URL was accepted")
	}
	none, err := http.Get(w.URL + "/userinfo")
	w.must(err)
	defer none.Body.Close()
	if none.StatusCode != 401 || strings.Contains(none.Header.Get("WWW-Authenticate"), "error") {
		t.Errorf("no token at all: %d %q", none.StatusCode, none.Header.Get("WWW-Authenticate"))
	}
}
