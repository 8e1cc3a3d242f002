package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// requested is a good request object, changed; it is its client's that pairs of
// strings are parameters of.
func (k keyed) requested(change map[string]any, pairs ...string) string {
	k.Helper()
	return k.signedBy(k.alg, k.key, map[string]any{"kid": k.kid, "typ": "oauth-authz-req+jwt"},
		k.requesting(change, pairs...))
}

func (k keyed) requesting(change map[string]any, pairs ...string) map[string]any {
	now := k.ambient.Now().Unix()
	claims := map[string]any{"iss": k.ID, "aud": k.URL, "exp": now + 300, "nbf": now, "jti": k.ambient.UID()}
	for name, values := range k.asking(k.app, append(append([]string{"nonce", "a-nonce"}, pkce...), pairs...)...) {
		claims[name] = values[0]
	}
	for name, value := range change {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return claims
}

// asked is the address of authorize with a request object.
func (k keyed) withObject(object string, pairs ...string) string {
	return k.URL + "/authentication/v2/authorize?" +
		form(append([]string{"client_id", k.ID, "request", object}, pairs...)...).Encode()
}

// Rule: JAR-1
func TestASignedRequestCountsForWhatIsInIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		for _, alg := range []jose.SignatureAlgorithm{jose.ES256, jose.PS256} {
			k := w.keyed(alg)
			for name, to := range map[string]string{
				"nothing beside it": k.withObject(k.requested(nil)),
				"other things beside it": k.withObject(k.requested(nil), "redirect_uri", "https://evil.example/cb",
					"scope", "nothing", "state", "outer"),
				"aud among others": k.withObject(k.requested(map[string]any{"aud": []string{"https://else.example.test", k.URL}})),
				"a number and an object": k.withObject(k.requested(map[string]any{"max_age": 3600,
					"claims": map[string]any{"userinfo": map[string]any{"email": nil}}})),
				"typ JWT": k.withObject(k.signedBy(alg, k.key,
					map[string]any{"typ": "JWT"}, k.requesting(nil))),
				"no typ and no nbf, no kid": k.withObject(k.signedBy(alg, k.key, nil,
					k.requesting(map[string]any{"nbf": nil}))),
				"no client_id inside": k.withObject(k.requested(map[string]any{"client_id": nil})),
				"pushed, proven by what is signed": k.goingOn(k.app,
					w.post(pushPath, app{}, proven(form("request", k.requested(nil)), k.assertion(nil)))),
			} {
				b := w.browser()
				v := b.through(b.get(to), somebody)
				if v.Away == nil || v.Away.Query().Get("code") == "" || v.Away.Query().Get("state") != "some-state" ||
					v.Away.Host != "app.example.test" {
					t.Errorf("%s, %s: on %s, sent to %v", alg, name, v.At, v.Away)
				}
			}
		}
	})
}

// Rules: JAR-1, RES-11
func TestASignedRequestNamesSeveralResources(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	w.resource(orders)
	w.resource(billing)
	k := w.keyed(jose.ES256)
	for name, c := range map[string]struct {
		resource any
		want     []string
	}{
		"one":           {orders, []string{orders}},
		"a list of one": {[]string{billing}, []string{billing}},
		"several":       {[]string{orders, billing}, []string{orders, billing}},
	} {
		object := k.requested(map[string]any{"scope": "openid read", "resource": c.resource})
		for way, to := range map[string]string{"at authorize": k.withObject(object), "pushed": k.goingOn(k.app,
			w.post(pushPath, app{}, proven(form("request", object), k.assertion(nil))))} {
			b := w.browser()
			v := b.through(b.get(to), somebody)
			if v.Away == nil || v.Away.Query().Get("code") == "" {
				t.Errorf("%s, %s: on %s, sent to %v", name, way, v.At, v.Away)
				continue
			}
			body := w.post(tokenPath, app{}, proven(form("grant_type", "authorization_code", "redirect_uri", callback,
				"code", v.Away.Query().Get("code"), "code_verifier", verifier), k.assertion(nil))).JSON(t)
			if got := w.audience(body["access_token"]); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: the token is for %v", name, way, got)
			}
		}
	}
}

// Rules: JAR-2, JAR-3
func TestSignedRequestsThatDoNotCount(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	k, other := w.keyed(jose.ES256), w.keyed(jose.ES256)
	now := w.ambient.Now().Unix()
	for name, object := range map[string]string{
		"alg none":                   requestObject(`{"iss":"x"}`, ""),
		"another client's key":       k.signedBy(jose.ES256, other.key, nil, k.requesting(nil)),
		"another client's":           other.requested(nil),
		"typ of an access token":     k.signedBy(jose.ES256, k.key, map[string]any{"typ": "at+jwt"}, k.requesting(nil)),
		"typ of a proof":             k.signedBy(jose.ES256, k.key, map[string]any{"typ": "dpop+jwt"}, k.requesting(nil)),
		"no iss":                     k.requested(map[string]any{"iss": nil}),
		"no aud":                     k.requested(map[string]any{"aud": nil}),
		"aud of another":             k.requested(map[string]any{"aud": "https://else.example.test"}),
		"no exp":                     k.requested(map[string]any{"exp": nil}),
		"expired":                    k.requested(map[string]any{"exp": now - 60}),
		"exp two hours ahead":        k.requested(map[string]any{"exp": now + 7200}),
		"nbf in the future":          k.requested(map[string]any{"nbf": now + 90}),
		"another client_id":          k.requested(map[string]any{"client_id": other.ID}),
		"a request within":           k.requested(map[string]any{"request": "x"}),
		"a request_uri within":       k.requested(map[string]any{"request_uri": "https://app.example.test/r"}),
		"good as a client assertion": k.requested(map[string]any{"sub": k.ID}),
		"cut off":                    k.requested(nil)[:200],
	} {
		t.Run(name, func(t *testing.T) {
			isPageOf(t, name, w.browser().get(k.withObject(object)))
			v := w.browser().get(k.withObject(object, "redirect_uri", callback, "response_type", "code", "scope",
				"openid", "state", "outer"))
			if v.Away == nil || v.Away.Query().Get("error") != "invalid_request_object" ||
				v.Away.Query().Get("state") != "outer" {
				t.Errorf("where the parameters beside it lead: %v", v.Away)
			}
			w.refused(w.post(pushPath, app{}, proven(form("request", object), k.assertion(nil))), http.StatusBadRequest,
				"invalid_request_object")
		})
	}
	if v := w.browser().get(k.withObject(k.requested(map[string]any{"redirect_uri": callback +
		"/other"}))); v.Away != nil {
		t.Errorf("an address of nobody's, well signed: %v", v.Away)
	}
	keyless := w.app(apps.Registration{})
	if v := w.browser().get(w.authorizeURL(keyless, "request",
		k.requested(nil))); v.Away.Query().Get("error") != "request_not_supported" {
		t.Errorf("a client without keys: %v", v.Away)
	}
}

// opened holds a signed answer to being one for the client, and returns what it says.
func (w *world) opened(a app, response string) map[string]any {
	w.Helper()
	claims := w.verifiedWith(headerOf(w, response)["alg"].(string), response)
	exp, _ := claims["exp"].(float64)
	if left := int64(exp) - w.ambient.Now().Unix(); claims["iss"] != w.URL || claims["aud"] != a.ID ||
		left <= 0 || left > 600 {
		w.Errorf("the answer says %v", claims)
	}
	return claims
}

// Rule: JAR-4
func TestAClientMayHaveToSignItsRequests(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		k := w.keyed(jose.ES256, func(r *apps.Registration) { r.RequireSigned = true })
		refused := w.browser().get(w.authorizeURL(k.app))
		if q := refused.Away.Query(); q.Get("error") != "invalid_request" || q.Get("state") != "some-state" {
			t.Errorf("a request that nobody signed: %v", q)
		}
		w.refused(w.post(pushPath, app{}, proven(w.asking(k.app), k.assertion(nil))),
			http.StatusBadRequest, "invalid_request")
		for name, to := range map[string]string{
			"signed": k.withObject(k.requested(nil)),
			"signed and pushed": k.goingOn(k.app,
				w.post(pushPath, app{}, proven(form("request", k.requested(nil)), k.assertion(nil)))),
		} {
			b := w.browser()
			if v := b.through(b.get(to), somebody); v.Away == nil || v.Away.Query().Get("code") == "" {
				t.Errorf("%s: on %s, sent to %v", name, v.At, v.Away)
			}
		}
	})
	w := newWorld(t, settings{})
	for name, r := range map[string]apps.Registration{
		"without keys": {Profile: storage.ProfileStandard},
		"platform": {Profile: storage.ProfilePlatform,
			ClientSecurity: storage.ClientSecurity{JWKS: keySet(jose.JSONWebKey{Key: newKeyFor(t, jose.ES256).Public(),
				KeyID: "k"})}},
	} {
		r.Name, r.Type, r.RedirectURIs, r.RequireSigned = name, storage.ClientWeb, []string{callback}, true
		_, err := w.Apps.Create(t.Context(), w.act(), r)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "sign") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rule: JARM-1
func TestAnswersAreSignedForWhoAsksForIt(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	for asked, want := range map[[2]string]string{
		{"code", "jwt"}: "query", {"code", "query.jwt"}: "query", {"code", "fragment.jwt"}: "fragment",
		{"code", "form_post.jwt"}: "form_post",
		{"code id_token", "jwt"}:  "fragment", {"code id_token", "form_post.jwt"}: "form_post",
		{"id_token", "jwt"}: "fragment",
	} {
		b := w.browser()
		mode, to, fields := b.answered(b.through(b.get(w.authorizeURL(a, "response_type", asked[0], "response_mode",
			asked[1], "nonce", "n")), somebody))
		if mode != want || to != callback || len(fields) != 1 {
			t.Errorf("%v: by %s to %s: %v", asked, mode, to, fields)
		}
		said := w.opened(a, fields.Get("response"))
		if said["state"] != "some-state" || (said["code"] != nil) != strings.Contains(asked[0], "code") ||
			(said["id_token"] != nil) != strings.Contains(asked[0], "id_token") {
			t.Errorf("%v: %v", asked, said)
		}
		mode, _, fields = b.answered(w.browser().get(w.authorizeURL(a, "response_type", asked[0], "response_mode", asked[1],
			"nonce", "n", "prompt", "none")))
		if said := w.opened(a, fields.Get("response")); mode != want || said["error"] != "login_required" ||
			said["state"] != "some-state" || len(fields) != 1 {
			t.Errorf("%v refused: by %s, %v", asked, mode, said)
		}
	}
	signed := w.app(apps.Registration{ClientSecurity: storage.ClientSecurity{IDTokenAlg: "ES256"}})
	b := w.browser()
	_, _, fields := b.answered(b.through(b.get(w.authorizeURL(signed, "response_mode", "jwt")), somebody))
	if header := headerOf(t, fields.Get("response")); header["alg"] != "ES256" {
		t.Errorf("signed with %v", header)
	}
	hint := w.browser().get(w.authorizeURL(a, "id_token_hint", fields.Get("response")))
	if hint.Away == nil || hint.Away.Query().Get("error") != "invalid_request" {
		t.Errorf("a signed answer as a hint: %v", hint.Away)
	}
	if v := b.get(w.authorizeURL(a, "response_type", "code id_token", "response_mode", "query.jwt", "nonce",
		"n")); v.parameters(t).Get("error") != "invalid_request" {
		t.Errorf("an ID token in the query: %v", v.Away)
	}
	platform := w.app(apps.Registration{Profile: storage.ProfilePlatform})
	if v := b.get(w.authorizeURL(platform, "response_mode", "jwt")); v.parameters(t).Get("error") != "invalid_request" {
		t.Errorf("a platform client: %v", v.Away)
	}
}

// Rule: INTRO-5
func TestIntrospectionIsSignedForWhoAcceptsIt(t *testing.T) {
	w := newWorld(t, settings{})
	for _, alg := range []string{"RS256", "ES256"} {
		a := w.app(apps.Registration{Scopes: []string{"data:read"}, ClientSecurity: storage.ClientSecurity{IDTokenAlg: alg}})
		token := w.granted(a, credentials())["access_token"].(string)
		for _, asked := range []string{token, "of nobody"} {
			plainly := w.introspect(a, asked).JSON(t)
			r, err := http.NewRequest(http.MethodPost, w.URL+"/authentication/v2/introspect",
				strings.NewReader(form("token", asked).Encode()))
			w.must(err)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Accept", "application/token-introspection+jwt")
			r.SetBasicAuth(a.ID, a.Secret)
			got := w.do(plain, r)
			if got.Header.Get("Content-Type") != "application/token-introspection+jwt" ||
				got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", got.Header)
			}
			header, claims := headerOf(t, string(got.Body)), w.verifiedWith(alg, string(got.Body))
			if header["typ"] != "token-introspection+jwt" || header["alg"] != alg || claims["iss"] != w.URL ||
				claims["aud"] != a.ID || claims["iat"] == nil {
				t.Errorf("%v %v", header, claims)
			}
			if diff := cmp.Diff(any(plainly), claims["token_introspection"]); diff != "" {
				t.Errorf("-plain +signed:\n%s", diff)
			}
			if again := w.userInfo(string(got.Body)); again.Status != http.StatusUnauthorized {
				t.Errorf("the answer as a token: %d", again.Status)
			}
		}
	}
}

// headerOf is the header of a JWT.
func headerOf(t testing.TB, token string) map[string]any {
	t.Helper()
	parsed, err := jose.ParseSignedCompact(token,
		[]jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.PS256, jose.EdDSA})
	if err != nil {
		t.Fatalf("%q: %v", token, err)
	}
	h := parsed.Signatures[0].Protected
	return map[string]any{"alg": h.Algorithm, "typ": h.ExtraHeaders[jose.HeaderType]}
}

// The modules of fapi2-message-signing-final-test-plan (private_key_jwt, DPoP, signed
// requests, JARM), by their names there without what all begin with.
//
// Rules: FAPI-7, JAR-2
func TestModulesOfFAPIMessageSigning(t *testing.T) {
	signing := func(r *apps.Registration) { r.Profile = storage.ProfileFAPISigned }
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		signingModules(t, w, w.hardened(jose.PS256, signing))
	})
	t.Run("mtls and mtls", func(t *testing.T) {
		w, authority := newCertifying(t)
		w.person(somebody)
		signingModules(t, w, w.certifiedAs(variant{true, true}, authority, jose.PS256, "one.example.test", signing))
	})
}

func signingModules(t *testing.T, w *world, h hardened) {
	now := func() int64 { return w.ambient.Now().Unix() }
	pushed := func(object string, pairs ...string) answer {
		return h.sends(pushPath, form(append([]string{"client_id", h.ID, "request", object}, pairs...)...), h.assertion(nil),
			"")
	}
	arrived := func(t *testing.T, got answer) map[string]any {
		t.Helper()
		q := h.answered(w.browser(), got)
		if len(q) != 1 {
			t.Errorf("answer %v", q)
		}
		return w.opened(h.app, q.Get("response"))
	}
	for name, object := range map[string]string{
		"happy-flow": h.requested(nil),
		"ensure-request-object-with-multiple-aud-succeeds": h.requested(map[string]any{
			"aud": []string{"https://else.example.test", w.URL},
		}),
		"ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted": h.requested(map[string]any{"nbf": now() + 8}),
		"response-mode-jwt": h.requested(nil, "response_mode", "jwt"),
	} {
		t.Run(name, func(t *testing.T) {
			said := arrived(t, pushed(object))
			f := form("grant_type", "authorization_code", "redirect_uri", callback, "code_verifier", verifier,
				"code", said["code"].(string))
			if got := h.asks(f); got.Status != http.StatusOK || said["state"] != "some-state" {
				t.Errorf("%v: %s", said, got.Body)
			}
		})
	}
	t.Run("ensure-different-state-and-nonce-inside-and-outside-request-object", func(t *testing.T) {
		if said := arrived(t, pushed(h.requested(nil), "state", "outer", "nonce", "outer")); said["state"] != "some-state" {
			t.Errorf("%v", said)
		}
	})
	for name, object := range map[string]string{
		"ensure-request-object-without-exp-fails":      h.requested(map[string]any{"exp": nil}),
		"ensure-request-object-without-nbf-fails":      h.requested(map[string]any{"nbf": nil}),
		"ensure-expired-request-object-fails":          h.requested(map[string]any{"exp": now() - 300}),
		"ensure-request-object-with-exp-over-60-fails": h.requested(map[string]any{"exp": now() + 4200}),
		"ensure-request-object-with-nbf-over-60-fails": h.requested(map[string]any{"nbf": now() - 4200}),
		"ensure-request-object-with-bad-aud-fails": h.requested(map[string]any{
			"aud": "https://else.example.test",
		}),
		"ensure-request-object-signature-algorithm-is-not-none": requestObject(`{}`, ""),
		"ensure-signed-request-object-with-RS256-fails": h.signedBy(jose.RS256, h.keyed.key,
			nil, h.requesting(nil)),
		"ensure-matching-key-in-authorization-request": w.keyed(jose.ES256).requested(map[string]any{
			"iss": h.ID, "client_id": h.ID,
		}),
		"par-endpoint-ensure-request-object-with-request_uri-is-none": h.requested(map[string]any{"request_uri": "urn:ietf:params:oauth:request_uri:x"}),
	} {
		t.Run(name, func(t *testing.T) { w.refused(pushed(object), http.StatusBadRequest, "invalid_request_object") })
	}
	t.Run("par-ensure-unsigned-request-is-rejected", func(t *testing.T) {
		w.refused(h.pushes(), http.StatusBadRequest, "invalid_request")
	})
	t.Run("plain-response-mode-is-rejected", func(t *testing.T) {
		w.refused(pushed(h.requested(nil, "response_mode", "query")), http.StatusBadRequest, "invalid_request")
	})
	t.Run("ensure-signed-request-without-using-par-fails", func(t *testing.T) {
		v := w.browser().get(h.withObject(h.requested(nil), "redirect_uri", callback, "response_type",
			"code", "state", "outer"))
		if v.Away == nil || w.opened(h.app, v.Away.Query().Get("response"))["error"] != "invalid_request" {
			t.Errorf("sent to %v", v.Away)
		}
	})
	t.Run("user-rejects-authentication", func(t *testing.T) {
		b := w.browser()
		v := b.submit(b.get(h.goingOn(h.app, pushed(h.requested(map[string]any{"prompt": "consent"})))), "login-form",
			form("username", somebody, "password", goodPassword))
		response := b.submit(v, "consent-form", url.Values{"decision": {"deny"}}).Away.Query().Get("response")
		if said := w.opened(h.app, response); said["error"] != "access_denied" || said["state"] != "some-state" {
			t.Errorf("%v", said)
		}
	})
}
