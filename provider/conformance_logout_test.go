package provider_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
)

// logoutPlans has all modules of oidcc-config-certification-test-plan,
// oidcc-rp-initiated-logout-certification-test-plan and
// oidcc-backchannel-rp-initiated-logout-certification-test-plan.
func logoutPlans(telling *receiver) modules {
	all := modules{
		"oidcc-discovery-endpoint-verification": func(s *suite) { s.verifiesDiscovery() },
		"oidcc-rp-initiated-logout-discovery-endpoint-verification": func(s *suite) {
			s.verifiesDiscovery("end_session_endpoint")
		},
		"oidcc-backchannel-logout-discovery-endpoint-verification": func(s *suite) {
			s.verifiesDiscovery("backchannel_logout_supported", "backchannel_logout_session_supported")
		},
		"oidcc-rp-initiated-logout":                        func(s *suite) { s.endsAt(bye + "?state=" + longState) },
		"oidcc-rp-initiated-logout-no-state":               func(s *suite) { s.endsAt(bye, "state", "") },
		"oidcc-rp-initiated-logout-modified-id-token-hint": (*suite).hintUnsigned,
		"oidcc-rp-initiated-logout-bad-id-token-hint":      (*suite).hintOfAnotherSigner,
		"oidcc-backchannel-rp-initiated-logout":            func(s *suite) { s.tellsTheClient(telling) },
	}
	for name, pairs := range map[string][]string{ // what is taken out
		"no-params":                   {"id_token_hint", "", "post_logout_redirect_uri", "", "state", ""},
		"only-state":                  {"id_token_hint", "", "post_logout_redirect_uri", ""},
		"no-post-logout-redirect-uri": {"post_logout_redirect_uri", ""},
	} {
		all["oidcc-rp-initiated-logout-"+name] = func(s *suite) { s.endsHere(pairs...) }
	}
	for name, pairs := range map[string][]string{ // what proves nothing
		"bad-post-logout-redirect-uri":            {"post_logout_redirect_uri", "https://elsewhere.example.test/bye"},
		"query-added-to-post-logout-redirect-uri": {"post_logout_redirect_uri", bye + "?foo=bar"},
		"no-id-token-hint":                        {"id_token_hint", ""},
	} {
		all["oidcc-rp-initiated-logout-"+name] = func(s *suite) { s.staysSignedIn(pairs...) }
	}
	return all
}

// verifiesDiscovery holds the document to what all plans demand of it, and to
// what one demands besides.
func (s *suite) verifiesDiscovery(besides ...string) {
	got := s.world.get(discoveryPath)
	doc := got.JSON(s)
	if got.Status != http.StatusOK || got.Header.Get("Content-Type") != "application/json" || doc["issuer"] != s.URL {
		s.Errorf("status %d, %v, issuer %v", got.Status, got.Header, doc["issuer"])
	}
	for name, value := range map[string]string{
		"response_types_supported": "code", "response_modes_supported": "form_post", "subject_types_supported": "public",
		"id_token_signing_alg_values_supported": "RS256", "scopes_supported": "openid", "claims_supported": "sub",
		"grant_types_supported": "authorization_code", "code_challenge_methods_supported": "S256",
		"token_endpoint_auth_methods_supported": "client_secret_post",
	} {
		if !slices.Contains(list(doc[name]), value) {
			s.Errorf("%s lacks %s: %v", name, value, doc[name])
		}
	}
	for _, name := range append(besides, "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri") {
		if doc[name] == nil || doc[name] == false {
			s.Errorf("%s is %v", name, doc[name])
		}
	}
	for name, value := range doc { // https where the issuer is
		if text, _ := value.(string); strings.HasSuffix(name, "_endpoint") && !strings.HasPrefix(text, s.URL+"/") {
			s.Errorf("%s is %v", name, value)
		}
	}
	for _, key := range s.world.get("/authentication/v2/keys").JSON(s)["keys"].([]any) {
		public := map[any][]string{
			"RSA": {"alg", "e", "kid", "kty", "n", "use"}, "EC": {"alg", "crv", "kid", "kty", "use", "x", "y"},
			"OKP": {"alg", "crv", "kid", "kty", "use", "x"},
		}[key.(map[string]any)["kty"]]
		if diff := cmp.Diff(public, slices.Sorted(maps.Keys(key.(map[string]any)))); diff != "" {
			s.Errorf("a published key (-want +got):\n%s", diff)
		}
	}
}

// longState is longer than most, and must come back as it went.
const longState = "Gq5Zb2vT-Gq5Zb2vT-Gq5Zb2vT-Gq5Zb2vT-Gq5Zb2vT-Gq5Zb2vT-Gq5Zb2vT-" +
	"Kd8Xc3wU_Kd8Xc3wU_Kd8Xc3wU_Kd8Xc3wU_Kd8Xc3wU_Kd8Xc3wU_Kd8Xc3wU.~"

// leaving is a sign-out as the plans send it, by a person who signed in.
func (s *suite) leaving(pairs ...string) visit {
	s.Helper()
	hint := s.flow().body["id_token"].(string)
	usual := []string{"id_token_hint", hint, "post_logout_redirect_uri", bye, "state", longState}
	all := form(append(usual, pairs...)...)
	for name, values := range all {
		if values[0] == "" {
			all.Del(name)
		}
	}
	return s.get(s.URL + logoutPath + "?" + all.Encode())
}

// endsAt: the person is sent back, without another parameter, and signed out.
func (s *suite) endsAt(want string, pairs ...string) {
	s.Helper()
	if v := s.leaving(pairs...); v.Away == nil || v.Away.String() != want {
		s.Errorf("status %d, sent to %v", v.Status, v.Away)
	}
	s.cannotBeSilent()
}

// endsHere: nobody is sent anywhere, and the page says that it is done.
func (s *suite) endsHere(pairs ...string) {
	s.Helper()
	v := s.leaving(pairs...)
	if v.Away != nil || v.Status != http.StatusOK || !strings.Contains(string(v.Body), "You are signed out.") {
		s.Errorf("status %d, sent to %v", v.Status, v.Away)
	}
	s.cannotBeSilent()
}

// staysSignedIn: nobody is sent anywhere; a page says what is wrong or asks.
func (s *suite) staysSignedIn(pairs ...string) {
	s.Helper()
	v := s.leaving(pairs...)
	refused := v.Status == http.StatusBadRequest && strings.Contains(string(v.Body), `id="error-page"`)
	if v.Away != nil || !refused && !strings.Contains(string(v.Body), `id="signout-form"`) {
		s.Errorf("status %d, sent to %v:\n%s", v.Status, v.Away, v.Body)
	}
	if !s.isSignedIn() {
		s.Error("a refused request signed the person out")
	}
}

func (s *suite) hintUnsigned() {
	body := strings.Split(s.flow().body["id_token"].(string), ".")[1]
	s.staysSignedIn("id_token_hint", "eyJhbGciOiJub25lIn0."+body+".")
}

func (s *suite) hintOfAnotherSigner() {
	token := s.flow().body["id_token"].(string)
	parts := strings.Split(token, ".")
	s.staysSignedIn("id_token_hint", parts[0]+"."+parts[1]+"."+strings.Repeat("A", len(parts[2])))
}

// tellsTheClient: the sign-out that ends at the app's address tells the app
// behind the browser's back.
func (s *suite) tellsTheClient(telling *receiver) {
	s.app = s.world.app(apps.Registration{
		PostLogoutRedirectURIs: []string{bye}, BackchannelLogoutURI: telling.URL + "/logout",
	})
	first := s.flow()
	s.endsAt(bye+"?state="+longState, "id_token_hint", first.body["id_token"].(string))
	s.deliver(1)
	s.checkLogoutToken(<-telling.tokens, s.app, first.claims["sub"].(string), first.claims["sid"])
}
