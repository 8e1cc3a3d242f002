package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// basicPlan has all modules of oidcc-basic-certification-test-plan, which are
// those of oidcc-formpost-basic-certification-test-plan as well.
func basicPlan() modules {
	all := modules{
		"oidcc-server": func(s *suite) { s.flow() },
		"oidcc-ensure-other-scope-order-succeeds":       func(s *suite) { s.flow("scope", "email openid") },
		"oidcc-alternate-happy-flow":                    (*suite).reordered,
		"oidcc-response-type-missing":                   (*suite).responseTypeMissing,
		"oidcc-idtoken-signature":                       (*suite).keysHaveNames,
		"oidcc-idtoken-unsigned":                        (*suite).idTokensAreSigned,
		"oidcc-ensure-registered-redirect-uri":          (*suite).redirectURIUnregistered,
		"oidcc-ensure-post-request-succeeds":            (*suite).asksByPOST,
		"oidcc-server-client-secret-post":               (*suite).secretInTheBody,
		"oidcc-codereuse":                               func(s *suite) { s.codeTwice(0) },
		"oidcc-codereuse-30seconds":                     func(s *suite) { s.codeTwice(31 * time.Second) },
		"oidcc-refresh-token":                           (*suite).refreshes,
		"oidcc-prompt-login":                            func(s *suite) { s.asksAgain("prompt", "login") },
		"oidcc-max-age-1":                               func(s *suite) { s.asksAgain("max_age", "1") },
		"oidcc-max-age-10000":                           func(s *suite) { s.unasked(s.flow(), "max_age", "10000") },
		"oidcc-prompt-none-logged-in":                   func(s *suite) { s.unasked(s.flow(), "prompt", "none") },
		"oidcc-prompt-none-not-logged-in":               func(s *suite) { s.cannotBeSilent() },
		"oidcc-id-token-hint":                           (*suite).idTokenHint,
		"oidcc-scope-profile":                           func(s *suite) { s.tells("profile") },
		"oidcc-scope-email":                             (*suite).tellsTheAddressInUserInfoAlone,
		"oidcc-scope-address":                           func(s *suite) { s.tells("address") },
		"oidcc-scope-phone":                             func(s *suite) { s.tells("phone") },
		"oidcc-scope-all":                               func(s *suite) { s.tells("profile", "email", "address", "phone") },
		"oidcc-claims-essential":                        (*suite).essentialName,
		"oidcc-userinfo-get":                            func(s *suite) { s.flow() }, // every flow asks so
		"oidcc-userinfo-post-header":                    (*suite).userInfoByPOSTHeader,
		"oidcc-userinfo-post-body":                      (*suite).userInfoByPOSTBody,
		"oidcc-ensure-request-object-with-redirect-uri": (*suite).requestObjectWithAnotherTarget,
		"oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": (*suite).requestObject,
		"oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported":    (*suite).requestURI,
		"oidcc-ensure-request-with-valid-pkce-succeeds":                                (*suite).pkce,
	}
	for name, pairs := range map[string][]string{ // parameters that hurt nothing
		"ensure-request-without-nonce-succeeds-for-code-flow": {"nonce", ""},
		"ensure-request-with-unknown-parameter-succeeds":      {"extra", "foobar"},
		"ensure-request-with-acr-values-succeeds":             {"acr_values", "urn:portico:acr:1"},
		"display-page":   {"display", "page"},
		"display-popup":  {"display", "popup"},
		"login-hint":     {"login_hint", "buffy@op.example.test"},
		"ui-locales":     {"ui_locales", "se"},
		"claims-locales": {"claims_locales", "se"},
	} {
		all["oidcc-"+name] = func(s *suite) { s.flow(pairs...) }
	}
	return all
}

func (s *suite) reordered() {
	path, query, _ := strings.Cut(s.asking("scope", "email openid"), "?")
	pairs := strings.Split(query, "&")
	slices.Reverse(pairs)
	s.finish(s.get(path+"?"+strings.Join(pairs, "&")), false)
}

func (s *suite) responseTypeMissing() {
	got := s.answer(s.get(s.asking("response_type", ""))).Get("error")
	if got != "invalid_request" && got != "unsupported_response_type" {
		s.Errorf("error %q", got)
	}
}

func (s *suite) keysHaveNames() {
	if names := s.publishedKeys(); len(names) == 0 || names[""] != nil {
		s.Errorf("published keys %v", names)
	}
	s.flow() // verifies the signature by the key that the header names
}

func (s *suite) idTokensAreSigned() {
	algorithms := list(s.discovery()["id_token_signing_alg_values_supported"])
	if slices.Contains(algorithms, "none") {
		s.Errorf("algorithms %v", algorithms)
	}
}

func (s *suite) redirectURIUnregistered() {
	s.flow()
	for _, wrong := range []string{callback + "/other", callback + "?extra=1", "https://elsewhere.example.test/"} {
		s.isError(s.get(s.asking("redirect_uri", wrong)))
	}
}

func (s *suite) asksByPOST() { s.finish(s.asked(http.MethodPost, s.asking()), false) }

func (s *suite) secretInTheBody() {
	code := s.answer(s.through(s.get(s.asking()), somebody)).Get("code")
	got := s.post("/authentication/v2/token", app{}, form("grant_type", "authorization_code", "code", code,
		"redirect_uri", callback, "client_id", s.app.ID, "client_secret", s.app.Secret))
	if got.Status != http.StatusOK || s.verified(got.JSON(s)["id_token"])["aud"] != s.app.ID {
		s.Errorf("status %d: %s", got.Status, got.Body)
	}
}

func (s *suite) codeTwice(later time.Duration) {
	code := s.answer(s.through(s.get(s.asking()), somebody)).Get("code")
	first := s.redeem(s.app, code).JSON(s)
	s.wait(later)
	s.refused(s.redeem(s.app, code), 400, "invalid_grant")
	if got := s.userInfo(first["access_token"].(string)); got.Status != http.StatusUnauthorized {
		s.Errorf("what the first try gave: status %d", got.Status)
	}
}

func (s *suite) refreshes() {
	first := s.flow("scope", "openid offline_access", "prompt", "consent")
	fresh := s.refreshWith(s.app, first.body).JSON(s)
	claims := s.verified(fresh["id_token"])
	for _, name := range []string{"iss", "sub", "aud", "auth_time"} {
		if claims[name] != first.claims[name] {
			s.Errorf("%s was %v, is %v", name, first.claims[name], claims[name])
		}
	}
	info := s.userInfo(fresh["access_token"].(string))
	if fresh["access_token"] == first.body["access_token"] || info.Status != http.StatusOK {
		s.Errorf("refreshed: %v", fresh)
	}
	if !slices.Contains(list(s.discovery()["grant_types_supported"]), "refresh_token") {
		s.Error("discovery does not say so")
	}
	s.refused(s.refreshWith(s.other, fresh), 400, "invalid_grant")
}

func (s *suite) asksAgain(pairs ...string) {
	first := s.flow()
	s.wait(2 * time.Second)
	again := s.flow(pairs...)
	later := again.claims["auth_time"].(float64) > first.claims["auth_time"].(float64)
	if !again.asked || again.claims["sub"] != first.claims["sub"] || !later {
		s.Errorf("asked %v, first %v, then %v", again.asked, first.claims, again.claims)
	}
}

func (s *suite) idTokenHint() {
	first := s.flow()
	s.unasked(first, "prompt", "none", "id_token_hint", first.body["id_token"].(string))
}

// standardClaims are those of OpenID Connect Core 5.4.
func standardClaims(name string) []string {
	return map[string][]string{
		"profile": {
			"name", "given_name", "family_name", "preferred_username", "profile", "picture", "locale", "updated_at",
			"middle_name", "nickname", "website", "gender", "birthdate", "zoneinfo",
		},
		"email":   {"email", "email_verified"},
		"address": {"address"},
		"phone":   {"phone_number", "phone_number_verified"},
	}[name]
}

// tells holds what the scopes stand for to user info, and to it alone.
func (s *suite) tells(scopes ...string) {
	s.Helper()
	got := s.flow("scope", "openid "+strings.Join(scopes, " "))
	want := []string{"sub"}
	for _, name := range scopes {
		want = append(want, standardClaims(name)...)
	}
	for _, name := range want {
		if got.info[name] == nil {
			s.Errorf("user info lacks %s: %v", name, got.info)
		}
		if got.claims[name] != nil && name != "sub" {
			s.Errorf("the ID token tells %s", name)
		}
	}
	if len(got.info) != len(want) {
		s.Errorf("user info tells %v, want %v", got.info, want)
	}
}

func (s *suite) tellsTheAddressInUserInfoAlone() {
	s.tells("email")
	if s.mode == "query" {
		return
	}
	_, _, q := s.answered(s.get(s.asking("scope", "openid email", "response_type", "code id_token")))
	if claims := s.verified(q.Get("id_token")); claims["email"] != nil {
		s.Errorf("the ID token in front tells %v", claims)
	}
}

func (s *suite) essentialName() {
	got := s.flow("claims", `{"userinfo":{"name":{"essential":true}}}`)
	if got.info["name"] != "Demo Person" || got.claims["name"] != nil {
		s.Errorf("user info %v, the ID token %v", got.info, got.claims)
	}
}

func (s *suite) userInfoByPOSTHeader() {
	first := s.flow()
	token := first.body["access_token"].(string)
	s.isOf(first, s.send(http.MethodPost, "/userinfo", "", "Authorization", "Bearer "+token))
}

func (s *suite) userInfoByPOSTBody() {
	first := s.flow()
	body := form("access_token", first.body["access_token"].(string)).Encode()
	s.isOf(first, s.send(http.MethodPost, "/userinfo", body, "Content-Type", formType))
}

func (s *suite) isOf(first letThrough, info answer) {
	s.Helper()
	if info.Status != http.StatusOK || info.JSON(s)["sub"] != first.claims["sub"] {
		s.Errorf("status %d: %s", info.Status, info.Body)
	}
}

func (s *suite) pkce() {
	v := s.get(s.asking(pkce...))
	fields := s.answer(s.through(v, somebody))
	if got := s.redeem(s.app, fields.Get("code"), "code_verifier", verifier); got.Status != http.StatusOK {
		s.Errorf("status %d: %s", got.Status, got.Body)
	}
}
