package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/scope"
)

// suite runs one module of the OpenID Foundation's suite: a fresh browser, two
// clients as a plan with static clients has them, and the mode that answers
// come back in.
type suite struct {
	*browser
	app, other app
	mode       string
}

// modules are what the plans for certification have, by their names there. The
// demands are written anew; what they warn of counts as failed, but for what
// docs/divergences.md has a row for.
type modules map[string]func(*suite)

// The plans with answers in the query and in a form are the basic one and that
// of form_post; the fragment is ours. A module that the plans leave out for
// static clients says what makes it needless.
//
// Rules: DISC-10, AUTH-24, AUTH-33, IDTOKEN-8, IDTOKEN-9
func TestModulesOfTheConformanceSuite(t *testing.T) {
	w := newWorld(t, settings{})
	w.fullPerson()
	one := apps.Registration{Scopes: scope.All(), LeanIDToken: true, PostLogoutRedirectURIs: []string{bye}}
	first, other := w.app(one), w.app(one)
	run := func(name, mode string, module func(*suite)) {
		w.ahead.Add(int64(time.Second)) // a network has a hundred tries at once, and one a second
		t.Run(name+"/"+mode, func(t *testing.T) {
			ours := *w
			ours.TB = t
			module(&suite{ours.browser(), first, other, mode})
		})
	}
	for name, module := range basicPlan() {
		for _, mode := range []string{"query", "form_post", "fragment"} {
			run(name, mode, module)
		}
	}
	for name, module := range logoutPlans(newReceiver(t)) {
		run(name, "query", module)
	}
}

// asking is the address of an authorize request as the plan sends it.
func (s *suite) asking(pairs ...string) string {
	usual := []string{"nonce", "a-nonce", "state", "a-state"}
	if s.mode != "query" { // which is what a code comes back in anyway
		usual = append(usual, "response_mode", s.mode)
	}
	return s.authorizeURL(s.app, append(usual, pairs...)...)
}

// answer holds what came back to what every answer must be.
func (s *suite) answer(v visit) url.Values {
	s.Helper()
	mode, to, fields := s.answered(v)
	known := []string{"code", "state", "iss", "error", "error_description"}
	if mode != s.mode || to != callback || fields.Get("state") != "a-state" || fields.Get("iss") != s.URL ||
		fields.Has("code") == fields.Has("error") {
		s.Errorf("to %s by %s: %v", to, mode, fields)
	}
	for name, values := range fields {
		if !slices.Contains(known, name) || len(values) != 1 {
			s.Errorf("the answer has %s: %v", name, values)
		}
	}
	return fields
}

// letThrough is a person who was let through: the tokens, the ID token's claims,
// what user info says, and whether a password was asked for.
type letThrough struct {
	body, claims, info map[string]any
	asked              bool
}

// flow runs a flow to its end and holds each step to what every flow must be.
func (s *suite) flow(pairs ...string) letThrough {
	s.Helper()
	return s.finish(s.get(s.asking(pairs...)), slices.Contains(pairs, "nonce"))
}

func (s *suite) finish(v visit, noNonce bool) letThrough {
	s.Helper()
	asked := v.Away == nil && v.At.Path == "/login"
	got := s.redeem(s.app, s.answer(s.through(v, somebody)).Get("code"))
	body := got.JSON(s)
	claims := s.verified(body["id_token"])
	info := s.userInfo(body["access_token"].(string))
	lives, _ := body["expires_in"].(float64)
	if got.Status != http.StatusOK || body["token_type"] != "Bearer" || lives <= 0 ||
		got.Header.Get("Cache-Control") != "no-store" {
		s.Errorf("status %d, %v: %v", got.Status, got.Header, body)
	}
	if claims["iss"] != s.URL || claims["aud"] != s.app.ID || claims["sub"] == "" ||
		claims["exp"].(float64) <= claims["iat"].(float64) || (claims["nonce"] == nil) != noNonce ||
		claims["acr"] != s.discovery()["acr_values_supported"].([]any)[0] {
		s.Errorf("the ID token says %v", claims)
	}
	if info.Status != http.StatusOK || info.JSON(s)["sub"] != claims["sub"] {
		s.Errorf("user info: status %d, %s", info.Status, info.Body)
	}
	return letThrough{body, claims, info.JSON(s), asked}
}

// cannotBeSilent asks for an answer without a page.
func (s *suite) cannotBeSilent() {
	s.Helper()
	s.needsPage(s.get(s.asking("prompt", "none")))
}

// needsPage holds an answer to prompt=none to the errors that say that a page
// is needed.
func (s *suite) needsPage(v visit) {
	s.Helper()
	fields := s.answer(v)
	page := []string{"login_required", "interaction_required", "consent_required", "account_selection_required"}
	if !slices.Contains(page, fields.Get("error")) {
		s.Errorf("answer %v", fields)
	}
}

// unasked holds a second flow to one that asked nothing and says the same.
func (s *suite) unasked(first letThrough, pairs ...string) {
	s.Helper()
	again := s.flow(pairs...)
	if again.asked || again.claims["sub"] != first.claims["sub"] ||
		again.claims["auth_time"] != first.claims["auth_time"] {
		s.Errorf("asked %v, first %v, then %v", again.asked, first.claims, again.claims)
	}
}
