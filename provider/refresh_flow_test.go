package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const grace = 10 * time.Second

// Rule: REFRESH-1
func TestRefreshRotates(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, lifetimes: provider.Lifetimes{RefreshGrace: grace}})
		w.person(somebody)
		a := w.app(apps.Registration{})
		first := w.browser().tokens(a, somebody, "nonce", "n1")
		w.wait(time.Minute)
		second := w.refreshWith(a, first).JSON(t)
		if second["refresh_token"] == first["refresh_token"] || second["access_token"] == first["access_token"] {
			t.Error("nothing is new")
		}
		if second["id_token"] == nil || second["expires_in"] != float64(3600) || second["token_type"] != "Bearer" {
			t.Errorf("answer %v", second)
		}
		if got := w.refreshWith(a, second); got.Status != http.StatusOK {
			t.Errorf("the successor: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: REFRESH-7
func TestRefreshedIDTokenKeepsWhatTheFirstSaid(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	first := w.browser().tokens(a, somebody, "nonce", "n1")
	w.wait(time.Minute)
	second := w.refreshWith(a, first).JSON(t)
	before, after := payload(t, first["id_token"]), payload(t, second["id_token"])
	for _, same := range []string{"iss", "sub", "aud", "auth_time", "nonce", "sid", "acr"} {
		if before[same] == nil || before[same] != after[same] {
			t.Errorf("%s was %v and is %v", same, before[same], after[same])
		}
	}
	if after["iat"].(float64) <= before["iat"].(float64) || before["azp"] != nil || after["azp"] != nil {
		t.Errorf("before %v, after %v", before, after)
	}
}

// Rule: REFRESH-2
func TestRetryWithinTheGraceGetsTheSameSuccessor(t *testing.T) {
	w := newWorld(t, settings{lifetimes: provider.Lifetimes{RefreshGrace: grace}})
	w.person(somebody)
	a := w.app(apps.Registration{})
	first := w.browser().tokens(a, somebody)
	second := w.refreshWith(a, first).JSON(t)
	w.wait(grace / 2)
	again := w.refreshWith(a, first).JSON(t)
	if again["refresh_token"] != second["refresh_token"] {
		t.Errorf("the retry got another successor")
	}

	t.Run("until the successor is used", func(t *testing.T) {
		third := w.refreshWith(a, second).JSON(t)
		w.refused(w.refreshWith(a, first), 400, "invalid_grant")
		w.refused(w.refreshWith(a, third), 400, "invalid_grant") // the family is dead
	})
}

// Rules: REFRESH-2, FAPI-4
func TestARetryIsHeardOfWhoseClientDoesNotRotateAnyMore(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, lifetimes: provider.Lifetimes{RefreshGrace: grace}})
		w.person(somebody)
		h := w.hardened(jose.ES256, func(r *apps.Registration) { r.Profile = storage.ProfileStandard })
		refreshes := func(from map[string]any) answer {
			return h.asks(form("grant_type", "refresh_token", "refresh_token", from["refresh_token"].(string)))
		}
		first := h.flow()
		second := refreshes(first).JSON(t)
		h.Client.Profile = storage.ProfileFAPI
		w.must(w.Store.UpdateClient(t.Context(), w.act(), h.Client))
		w.wait(time.Second) // as long as any cache may lag
		again := refreshes(first)
		if again.Status != http.StatusOK || again.JSON(t)["refresh_token"] != second["refresh_token"] {
			t.Fatalf("%d %s", again.Status, again.Body)
		}
		for range 2 {
			if got := refreshes(second); got.Status != http.StatusOK || got.JSON(t)["refresh_token"] != nil {
				t.Errorf("the one that goes on: %d %s", got.Status, got.Body)
			}
		}
		w.wait(grace + time.Second)
		w.refused(refreshes(first), http.StatusBadRequest, "invalid_grant")
		w.refused(refreshes(second), http.StatusBadRequest, "invalid_grant")
	})
}

// Rule: REFRESH-3
func TestReuseAfterTheGraceEndsTheFamily(t *testing.T) {
	for name, lifetimes := range map[string]provider.Lifetimes{"grace over": {RefreshGrace: grace}, "grace off": {}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, settings{lifetimes: lifetimes})
			w.person(somebody)
			a := w.app(apps.Registration{})
			first := w.browser().tokens(a, somebody)
			second := w.refreshWith(a, first).JSON(t)
			w.wait(lifetimes.RefreshGrace + time.Second)
			w.refused(w.refreshWith(a, first), 400, "invalid_grant")
			w.refused(w.refreshWith(a, second), 400, "invalid_grant")
			if got := w.userInfo(second["access_token"].(string)); got.Status != http.StatusUnauthorized {
				t.Errorf("the family's access token: %d", got.Status)
			}
		})
	}
}

// Rule: REFRESH-5
func TestRefreshTokenOfAnotherClientIsRefusedAndUnharmed(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a, thief := w.app(apps.Registration{}), w.app(apps.Registration{Name: "Other App"})
	first := w.browser().tokens(a, somebody)
	w.refused(w.refreshWith(thief, first), 400, "invalid_grant")
	second := w.refreshWith(a, first)
	if second.Status != http.StatusOK {
		t.Fatalf("the owner's refresh: %d %s", second.Status, second.Body)
	}
	w.refused(w.refreshWith(thief, first), 400, "invalid_grant") // a spent one, too, harms nothing
	if got := w.refreshWith(a, second.JSON(t)); got.Status != http.StatusOK {
		t.Errorf("after the other client's try: %d %s", got.Status, got.Body)
	}
}

// Rule: REFRESH-4
func TestRefreshTokenLivesFifteenDaysFromItsIssue(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	first := w.browser().tokens(a, somebody)
	w.wait(15*24*time.Hour - time.Minute)
	second := w.refreshWith(a, first)
	if second.Status != http.StatusOK {
		t.Fatalf("a minute before its end: %d %s", second.Status, second.Body)
	}
	w.wait(15*24*time.Hour - time.Minute)
	third := w.refreshWith(a, second.JSON(t))
	if third.Status != http.StatusOK {
		t.Fatalf("the successor a minute before its own end: %d %s", third.Status, third.Body)
	}
	w.wait(15 * 24 * time.Hour)
	w.refused(w.refreshWith(a, third.JSON(t)), 400, "invalid_grant")
}

// Rule: REFRESH-6
func TestRefreshScope(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Profile: storage.ProfilePlatform,
		Scopes: []string{"openid", "email", "data:read", "data:write"}})
	first := w.browser().tokens(a, somebody, "scope", "openid data:read")
	same := w.refreshWith(a, first, "scope", "data:read openid")
	if same.Status != http.StatusOK || same.JSON(t)["scope"] != nil {
		t.Fatalf("the scope as granted: %d %s", same.Status, same.Body)
	}
	narrow := w.refreshWith(a, same.JSON(t), "scope", "data:read")
	claims, err := w.Keys.VerifyAccess(t.Context(), narrow.JSON(t)["access_token"].(string))
	if err != nil || claims.Scope != "data:read" {
		t.Errorf("a part of it: %q, %v", claims.Scope, err)
	}
	wide := w.refreshWith(a, narrow.JSON(t), "scope", "data:read data:write")
	w.refused(wide, 400, "invalid_scope")
	whole := w.refreshWith(a, narrow.JSON(t))
	claims, err = w.Keys.VerifyAccess(t.Context(), whole.JSON(t)["access_token"].(string))
	if err != nil || claims.Scope != "openid data:read" {
		t.Errorf("without a scope the grant's comes back: %q, %v", claims.Scope, err)
	}
}

// Rule: REFRESH-9
func TestForgedRefreshTokensAreRefused(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	first := w.browser().tokens(a, somebody)
	real := first["refresh_token"].(string)
	for name, token := range map[string]string{
		"garbage": "garbage", "cut": real[:69], "lengthened": real + "A",
		"one character changed in front": flip(real, 0), "in the generation": flip(real, 24), "in the seal": flip(real, 60),
	} {
		t.Run(name, func(t *testing.T) {
			w.refused(w.token(a, form("grant_type", "refresh_token", "refresh_token", token)), 400, "invalid_grant")
		})
	}
	if got := w.refreshWith(a, first); got.Status != http.StatusOK {
		t.Errorf("the real one: %d %s", got.Status, got.Body)
	}
}

func flip(s string, i int) string {
	b := []byte(s)
	if b[i] == 'A' {
		b[i] = 'B'
	} else {
		b[i] = 'A'
	}
	return string(b)
}

// respelled returns other text that a lenient reader takes for the same bytes;
// the last character must have spare bits.
func respelled(s string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := len(s) - 1
	return s[:last] + string(alphabet[strings.IndexByte(alphabet, s[last])^1])
}

// Rules: TOKEN-9, REFRESH-10, SIGNIN-8
func TestWhatEndsAGrantEndsItsTokens(t *testing.T) {
	cases := map[string]func(w *world, a app, userID string) error{
		"the user is disabled": func(w *world, _ app, userID string) error {
			return w.Store.SetUserDisabled(w.Context(), w.act(), userID, true)
		},
		"the user is deleted": func(w *world, _ app, userID string) error {
			return w.Store.DeleteUser(w.Context(), w.act(), userID)
		},
		"the password changes": func(w *world, _ app, userID string) error {
			return w.Store.SetPassword(w.Context(), w.act(), userID, "x", "")
		},
		"sign-out everywhere": func(w *world, _ app, userID string) error {
			return w.Store.EndSessions(w.Context(), w.act(), userID, "")
		},
		"the consent is withdrawn": func(w *world, a app, userID string) error {
			return w.Store.WithdrawConsent(w.Context(), w.act(), userID, a.ID)
		},
		"the client is disabled": func(w *world, a app, _ string) error {
			return w.Store.SetClientDisabled(w.Context(), w.act(), a.ID, true)
		},
		"the client is deleted": func(w *world, a app, _ string) error {
			return w.Store.DeleteClient(w.Context(), w.act(), a.ID)
		},
	}
	for name, end := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, settings{lifetimes: provider.Lifetimes{RefreshGrace: grace}})
			user := w.person(somebody)
			a := w.app(apps.Registration{})
			first := w.browser().tokens(a, somebody)
			if got := w.userInfo(first["access_token"].(string)); got.Status != http.StatusOK {
				t.Fatalf("before: %d", got.Status)
			}
			second := w.refreshWith(a, first).JSON(t)
			w.must(end(w, a, user.ID))
			w.wait(time.Second) // as long as any cache may lag
			if got := w.userInfo(second["access_token"].(string)); got.Status != http.StatusUnauthorized {
				t.Errorf("user info: %d", got.Status)
			}
			for _, body := range []map[string]any{second, first} { // the live one, and the one in its grace
				if got := w.refreshWith(a, body); got.Status == http.StatusOK {
					t.Errorf("refresh: %d %s", got.Status, got.Body)
				}
			}
		})
	}
}

// Rule: REFRESH-11
func TestTheRefreshTokensOfAGrantEndWithIt(t *testing.T) {
	const month = 30 * 24 * time.Hour
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, lifetimes: provider.Lifetimes{Grant: month}})
		w.person(somebody)
		standard := w.app(apps.Registration{})
		platform := w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: []string{"openid"}})
		last := w.browser().tokens(standard, somebody)
		endless := w.browser().tokens(platform, somebody)
		for range 3 {
			w.wait(10*24*time.Hour - time.Minute) // each refresh token by itself would live 15 days
			last = w.refreshWith(standard, last).JSON(t)
			endless = w.refreshWith(platform, endless).JSON(t)
		}
		if left := last["expires_in"].(float64); left > 180 || left < 150 ||
			last["expires_at"] != payload(t, last["access_token"])["exp"] {
			t.Errorf("three minutes before the end: %v", last)
		}
		if got := w.userInfo(last["access_token"].(string)); got.Status != http.StatusOK {
			t.Errorf("the last access token before the end: %d", got.Status)
		}
		w.wait(3 * time.Minute)
		w.refused(w.refreshWith(standard, last), 400, "invalid_grant")
		if got := w.userInfo(last["access_token"].(string)); got.Status != http.StatusUnauthorized {
			t.Errorf("the last access token after the end: %d", got.Status)
		}
		if got := w.refreshWith(platform, endless); got.Status != http.StatusOK {
			t.Errorf("a grant without an end: %d %s", got.Status, got.Body)
		}
		if again := w.browser().tokens(standard, somebody); again["refresh_token"] == nil {
			t.Errorf("given anew: %v", again)
		}
	})
}

// Rule: REFRESH-12
func TestConsentSaysUntilWhenItHolds(t *testing.T) {
	w := newWorld(t, settings{lifetimes: provider.Lifetimes{Grant: 30 * 24 * time.Hour}})
	user := w.person(somebody)
	standard := w.app(apps.Registration{})
	platform := w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: []string{"openid"}})
	asked := func(a app, pairs ...string) string {
		b := w.browser()
		v := b.submit(b.get(w.authorizeURL(a, pairs...)), "login-form", form("username", somebody, "password", goodPassword))
		return string(v.Body)
	}
	end := w.ambient.Now().Add(30 * 24 * time.Hour).UTC().Format("2006-01-02T15:")
	const says = "keeps this access until"
	if page := asked(standard); !strings.Contains(page, says) || !strings.Contains(page, `datetime="`+end) {
		t.Errorf("%s is not on the page:\n%s", end, page)
	}
	if page := asked(platform); strings.Contains(page, says) {
		t.Error("an end where there is none")
	}
	if page := asked(standard, "response_type", "id_token", "nonce", "n"); strings.Contains(page, says) {
		t.Error("an end of what is over at once")
	}
	w.browser().tokens(standard, somebody)
	grants, err := w.Store.ListGrants(t.Context(), user.ID, w.ambient.Now())
	w.must(err)
	if len(grants) != 1 || grants[0].EndsAt.UTC().Format("2006-01-02T15:") != end {
		t.Errorf("grants %v", grants)
	}
}

// Rule: TOKEN-28
func TestACodeOrRefreshTokenOfWhichNothingIsLeftIsRefused(t *testing.T) {
	for _, profile := range []string{storage.ProfileStandard, storage.ProfilePlatform} {
		w := newWorld(t, settings{})
		w.person(somebody)
		a := w.app(apps.Registration{Profile: profile, Scopes: []string{"openid", "data:read"}})
		b := w.browser()
		tokens := b.tokens(a, somebody, "scope", "openid data:read")
		code := b.code(a, somebody, "scope", "openid data:read")
		register := func(scopes ...string) {
			record, err := w.Store.FindClient(t.Context(), a.ID)
			w.must(err)
			record.Scopes = scopes
			w.must(w.Store.UpdateClient(t.Context(), w.act(), record))
			w.wait(time.Second) // as long as any cache may lag
		}
		register("data:write")
		w.refused(w.refreshWith(a, tokens), 400, "invalid_scope")
		w.refused(b.redeem(a, code), 400, "invalid_scope")
		register("data:read") // neither was used up
		for name, got := range map[string]answer{"refresh token": w.refreshWith(a, tokens), "code": b.redeem(a, code)} {
			if got.Status != http.StatusOK || got.JSON(t)["scope"] != "data:read" {
				t.Errorf("%s, %s: %d %s", profile, name, got.Status, got.Body)
			}
		}
	}
}

// Rule: REFRESH-11
func TestTheFirstAccessTokenDoesNotOutliveItsGrant(t *testing.T) {
	w := newWorld(t, settings{lifetimes: provider.Lifetimes{Grant: 10 * time.Minute}})
	w.person(somebody)
	for profile, lives := range map[string]float64{storage.ProfileStandard: 600, storage.ProfilePlatform: 3600} {
		a := w.app(apps.Registration{Profile: profile, Scopes: []string{"openid"}})
		first := w.browser().tokens(a, somebody)
		claims := payload(t, first["access_token"])
		if got := claims["exp"].(float64) - claims["iat"].(float64); got > lives || got < lives-1 ||
			first["expires_in"] != got {
			t.Errorf("%s: lives %v s, says %v", profile, got, first["expires_in"])
		}
	}
}
