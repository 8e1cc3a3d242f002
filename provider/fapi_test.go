package provider_test

import (
	"context"
	"crypto/x509"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/clientcert"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/harness/prooftest"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// hardened is a client of the profile fapi, which has two keys: one to prove itself
// by, and one that its tokens are bound to. For either it may use a certificate.
type hardened struct {
	keyed
	holder      prooftest.Key
	certificate certified
	variant
}

// variant is what the plans vary.
type variant struct{ provesByCertificate, boundToCertificate bool }

func (w *world) hardened(alg jose.SignatureAlgorithm, change ...func(*apps.Registration)) hardened {
	w.Helper()
	fapi := func(r *apps.Registration) { r.Profile = storage.ProfileFAPI }
	h := hardened{holder: w.key(jose.ES256)}
	h.keyed = w.keyed(alg, append([]func(*apps.Registration){fapi}, change...)...)
	return h
}

// certifiedAs is hardened in a variant with a certificate, which an authority that the
// world knows has made.
func (w *world) certifiedAs(v variant, authority certified, alg jose.SignatureAlgorithm, name string,
	change ...func(*apps.Registration)) hardened {
	w.Helper()
	h := w.hardened(alg, append(change, func(r *apps.Registration) {
		if v.provesByCertificate {
			r.AuthMethod, r.CertificateField, r.CertificateName = storage.AuthCertificate, clientcert.DNS, name
		}
		r.CertificateNeeded = v.boundToCertificate
	})...)
	h.variant, h.certificate = v, w.certify(&authority, func(c *x509.Certificate) {
		c.DNSNames, c.NotAfter = []string{name}, c.NotAfter.AddDate(1, 0, 0)
	})
	return h
}

// sends posts a form with an assertion and a proof, unless they are "", or with the
// certificate that stands for them.
func (h hardened) sends(path string, f url.Values, assertion, proof string) answer {
	h.Helper()
	shows := h.provesByCertificate && assertion != "" || h.boundToCertificate && proof != ""
	switch {
	case h.provesByCertificate:
		f.Set("client_id", h.ID)
	case assertion != "":
		f = proven(f, assertion)
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, h.URL+path, strings.NewReader(f.Encode()))
	h.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if proof != "" && !h.boundToCertificate {
		r.Header.Set("DPoP", proof)
	}
	if shows {
		r.Header.Set("Client-Cert", h.certificate.header())
	}
	return h.do(plain, r)
}

// tokenType is how the client's tokens are presented.
func (h hardened) tokenType() string {
	if h.boundToCertificate {
		return "Bearer"
	}
	return "DPoP"
}

// isBound holds a token to being bound to what the client has.
func (h hardened) isBound(token any) {
	h.Helper()
	want := signing.Bound{Key: h.holder.Thumbprint()}
	if h.boundToCertificate {
		want = signing.Bound{Certificate: clientcert.Thumbprint(h.certificate.Certificate)}
	}
	if got := h.bound(token); got != want {
		h.Errorf("bound to %+v, want %+v", got, want)
	}
}

// unbound holds an answer to saying what was missing that a token could be bound to.
func (h hardened) unbound(got answer) {
	h.Helper()
	switch {
	case !h.boundToCertificate:
		h.refused(got, http.StatusBadRequest, "invalid_dpop_proof")
	case h.provesByCertificate:
		h.refused(got, http.StatusUnauthorized, "invalid_client")
	default:
		h.refused(got, http.StatusBadRequest, "invalid_request")
	}
}

// withoutHolder sends a form that the client proves itself with, and nothing that a
// token could be bound to. By one certificate it can't do the one without the other.
func (h hardened) withoutHolder(f url.Values) answer {
	h.Helper()
	if h.provesByCertificate && h.boundToCertificate {
		return h.sends(tokenPath, f, "", "")
	}
	return h.sends(tokenPath, f, h.assertion(nil), "")
}

// pushes sends a good authorize request to be pushed, changed.
func (h hardened) pushes(pairs ...string) answer {
	h.Helper()
	usual := append([]string{"nonce", "a-nonce"}, pkce...)
	return h.sends(pushPath, h.asking(h.app, append(usual, pairs...)...), h.assertion(nil), "")
}

// proofOf is a good proof for the token endpoint.
func (h hardened) proofOf() string { return h.holder.Proof(http.MethodPost, h.URL+tokenPath) }

// asks asks for tokens as it should.
func (h hardened) asks(f url.Values) answer {
	h.Helper()
	return h.sends(tokenPath, f, h.assertion(nil), h.proofOf())
}

// answered goes through a pushed request to its answer.
func (h hardened) answered(b *browser, pushed answer) url.Values {
	h.Helper()
	v := b.through(b.get(h.goingOn(h.app, pushed)), somebody)
	if v.Away == nil {
		h.Fatalf("on %s, %d: %s", v.At, v.Status, v.Body)
	}
	return v.Away.Query()
}

func (h hardened) redemption(pairs ...string) url.Values {
	h.Helper()
	f := form("grant_type", "authorization_code", "redirect_uri", callback, "code_verifier", verifier,
		"code", h.answered(h.browser(), h.pushes()).Get("code"))
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return f
}

// flow is the whole flow, which must succeed.
func (h hardened) flow() map[string]any {
	h.Helper()
	got := h.asks(h.redemption())
	if got.Status != http.StatusOK || got.JSON(h.TB)["token_type"] != h.tokenType() {
		h.Fatalf("%d %s", got.Status, got.Body)
	}
	return got.JSON(h.TB)
}

// The modules of fapi2-security-profile-final-test-plan (OpenID Connect and client
// credentials), by their names there without what all begin with; the demands are
// written anew. What the plan asks of proofs is tested where proofs are. The variants
// with certificates touch no other part of the store.
//
// Rules: FAPI-1, FAPI-2, FAPI-3, FAPI-4, FAPI-5
func TestModulesOfTheFAPISecurityProfile(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		h, other := w.hardened(jose.PS256), w.hardened(jose.ES256)
		runModules(t, w, h, hardenedModules(w, other), assertionModules(w))
	})
	for name, v := range map[string]variant{
		"mtls and mtls": {true, true}, "private_key_jwt and mtls": {false, true}, "mtls and dpop": {true, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, authority := newCertifying(t)
			w.person(somebody)
			h := w.certifiedAs(v, authority, jose.PS256, "one.example.test")
			other := w.certifiedAs(v, authority, jose.ES256, "other.example.test")
			runModules(t, w, h, hardenedModules(w, other))
		})
	}
}

// newCertifying is a world that knows an authority.
func newCertifying(t *testing.T) (*world, certified) {
	authority := (&world{TB: t, ambient: ambient.System()}).authority("ours")
	pool := x509.NewCertPool()
	pool.AddCert(authority.Certificate)
	return newWorld(t, settings{certificates: provider.Certificates{Authorities: pool}}), authority
}

func runModules(t *testing.T, w *world, h hardened, modules ...map[string]func(hardened)) {
	for _, some := range modules {
		for name, module := range some {
			t.Run(name, func(t *testing.T) {
				ours := *w
				ours.TB = t
				mine := h
				mine.keyed.world, mine.holder.TB = &ours, t
				module(mine)
			})
		}
	}
}

func hardenedModules(w *world, other hardened) map[string]func(hardened) {
	refusedPush := func(code string, pairs ...string) func(hardened) {
		return func(h hardened) { h.refused(h.pushes(pairs...), http.StatusBadRequest, code) }
	}
	page := func(h hardened, what string, to string) {
		if v := h.browser().get(to); v.Away != nil || v.Status != http.StatusBadRequest {
			h.Errorf("%s: %d, sent to %v", what, v.Status, v.Away)
		}
	}
	return map[string]func(hardened){
		"happy-flow": func(h hardened) { h.isBound(h.flow()["access_token"]) },
		"user-rejects-authentication": func(h hardened) {
			b := h.browser()
			v := b.submit(b.get(h.goingOn(h.app, h.pushes("prompt", "consent"))), "login-form",
				form("username", somebody, "password", goodPassword))
			q := b.submit(v, "consent-form", form("decision", "deny")).Away.Query()
			if q.Get("error") != "access_denied" || q.Get("state") != "some-state" || q.Get("iss") != h.URL {
				h.Errorf("answer %v", q)
			}
		},
		"ensure-authorization-request-without-state-success": func(h hardened) {
			if q := h.answered(h.browser(), h.pushes("state", "")); q.Get("code") == "" || q.Has("state") {
				h.Errorf("answer %v", q)
			}
		},
		"ensure-authorization-request-without-nonce-success": func(h hardened) {
			if q := h.answered(h.browser(), h.pushes("nonce", "")); q.Get("code") == "" {
				h.Errorf("answer %v", q)
			}
		},
		"ensure-authorization-request-with-long-nonce": func(h hardened) {
			for _, length := range []int{64, 384, 1000} { // more than 64 may be refused, and need not be
				if q := h.answered(h.browser(), h.pushes("nonce", strings.Repeat("n", length))); q.Get("code") == "" {
					h.Errorf("%d characters: answer %v", length, q)
				}
			}
		},
		"ensure-authorization-request-with-long-state": func(h hardened) {
			long := strings.Repeat("s", 1200)
			if q := h.answered(h.browser(), h.pushes("state", long)); q.Get("state") != long {
				h.Errorf("answer %v", q)
			}
		},
		"ensure-other-scope-order-succeeds": func(h hardened) {
			if q := h.answered(h.browser(), h.pushes("scope", "data:read openid")); q.Get("code") == "" {
				h.Errorf("answer %v", q)
			}
		},
		"the redirect is 303": func(h hardened) {
			b := h.browser()
			h.answered(b, h.pushes())
			if v := b.get(h.goingOn(h.app, h.pushes())); v.Status != http.StatusSeeOther {
				h.Errorf("status %d", v.Status)
			}
		},
		"ensure-authorization-code-is-bound-to-client": func(h hardened) {
			stolen := h.redemption()
			h.refused(other.asks(stolen), http.StatusBadRequest, "invalid_grant")
		},
		"attempt-reuse-authorization-code-after-one-second": func(h hardened) {
			f := h.redemption()
			if got := h.asks(f); got.Status != http.StatusOK {
				h.Errorf("first: %s", got.Body)
			}
			w.wait(time.Second)
			h.refused(h.asks(f), http.StatusBadRequest, "invalid_grant")
		},
		"codes live a minute": func(h hardened) {
			young, old := h.redemption(), h.redemption()
			w.wait(50 * time.Second)
			if got := h.asks(young); got.Status != http.StatusOK {
				h.Errorf("ten seconds early: %s", got.Body)
			}
			w.wait(10 * time.Second)
			h.refused(h.asks(old), http.StatusBadRequest, "invalid_grant")
		},
		"ensure-request-without-using-par-fails": func(h hardened) {
			v := h.browser().get(h.authorizeURL(h.app, pkce...))
			if v.Away == nil || v.Away.Query().Get("error") != "invalid_request" {
				h.Errorf("on %s, sent to %v", v.At, v.Away)
			}
		},
		"ensure-holder-of-key-required": func(h hardened) {
			f := h.redemption()
			h.unbound(h.withoutHolder(f))
			if got := h.asks(f); got.Status != http.StatusOK {
				h.Errorf("with a proof: %s", got.Body)
			}
			h.unbound(h.withoutHolder(credentials("scope", "data:read")))
		},
		"a bound token is none as a bearer's": func(h hardened) {
			if got := h.userInfo(h.flow()["access_token"].(string)); got.Status != http.StatusUnauthorized {
				h.Errorf("%d %s", got.Status, got.Body)
			}
		},
		"par-endpoint-without-client-authentication-fails": func(h hardened) {
			h.refused(h.sends(pushPath, h.asking(h.app, pkce...), "", ""), http.StatusUnauthorized, "invalid_client")
		},
		"par-attempt-invalid-http-method": func(h hardened) {
			r, err := http.NewRequest(http.MethodGet, h.URL+pushPath, nil)
			h.must(err)
			if got := h.do(plain, r); got.Status != http.StatusMethodNotAllowed {
				h.Errorf("status %d", got.Status)
			}
		},
		"par-attempt-reuse-request_uri": func(h hardened) {
			b, pushed := h.browser(), h.pushes()
			h.answered(b, pushed)
			if v := b.get(h.goingOn(h.app, pushed)); v.Away != nil || v.Status != http.StatusBadRequest {
				h.Errorf("%d, sent to %v", v.Status, v.Away)
			}
		},
		"par-ensure-reused-request-uri-prior-to-auth-completion-succeeds": func(h hardened) {
			b, pushed := h.browser(), h.pushes()
			b.get(h.goingOn(h.app, pushed))
			if q := h.answered(b, pushed); q.Get("code") == "" {
				h.Errorf("answer %v", q)
			}
		},
		"par-attempt-to-use-expired-request_uri": func(h hardened) {
			pushed := h.pushes()
			if lives := pushed.JSON(h.TB)["expires_in"].(float64); lives <= 0 || lives >= 600 {
				h.Errorf("it lives %v s", lives)
			}
			w.wait(2 * time.Minute)
			page(h, "expired", h.goingOn(h.app, pushed))
		},
		"par-attempt-to-use-request_uri-for-different-client": func(h hardened) {
			pushed := h.pushes()
			page(h, "another client's", h.goingOn(other.app, pushed))
			if q := h.answered(h.browser(), pushed); q.Get("code") == "" {
				h.Errorf("and then its own: %v", q)
			}
		},
		"par-incorrect-pkce-code-verifier-rejected": func(h hardened) {
			h.refused(h.asks(h.redemption("code_verifier", strings.Repeat("v", 43))), http.StatusBadRequest, "invalid_grant")
		},
		"par-pkce-verifier-required": func(h hardened) {
			f := h.redemption()
			f.Del("code_verifier")
			h.refused(h.asks(f), http.StatusBadRequest, "invalid_grant")
		},
		"par-ensure-pkce-required": refusedPush("invalid_request", "code_challenge", "",
			"code_challenge_method", ""),
		"par-ensure-pkce-code-challenge-required": refusedPush("invalid_request", "code_challenge", ""),
		"par-ensure-plain-pkce-rejected":          refusedPush("invalid_request", "code_challenge_method", "plain"),
		"par-authorization-request-containing-request_uri": refusedPush("invalid_request", "request_uri",
			"urn:ietf:params:oauth:request_uri:x"),
		"par-without-redirect-uri": refusedPush("invalid_request", "redirect_uri", ""),
		"ensure-registered-redirect-uri": refusedPush("invalid_request", "redirect_uri",
			callback+"/callback/random"),
		"ensure-response-type-code-idtoken-fails": refusedPush("unauthorized_client", "response_type", "code id_token"),
		"ensure-response-type-token-fails":        refusedPush("unsupported_response_type", "response_type", "token"),
		"refresh-token": func(h hardened) {
			first := h.flow()
			for range 3 { // nothing rotates, and no time without use is long enough to be reuse
				w.wait(31 * time.Second)
				got := h.asks(form("grant_type", "refresh_token", "refresh_token", first["refresh_token"].(string)))
				if again := got.JSON(h.TB); got.Status != http.StatusOK || again["refresh_token"] != nil ||
					again["token_type"] != h.tokenType() {
					h.Errorf("%d %s", got.Status, got.Body)
				}
			}
			f := form("grant_type", "refresh_token", "refresh_token", first["refresh_token"].(string))
			h.refused(other.asks(f), http.StatusBadRequest, "invalid_grant")
			h.unbound(h.withoutHolder(f))
			w.wait(14 * 24 * time.Hour)
			if got := h.asks(f); got.Status != http.StatusOK {
				h.Errorf("used within its time it goes on: %s", got.Body)
			}
			w.wait(2 * 24 * time.Hour)
			if got := h.asks(f); got.Status != http.StatusOK {
				h.Errorf("and on: %s", got.Body)
			}
			w.wait(15 * 24 * time.Hour)
			h.refused(h.asks(f), http.StatusBadRequest, "invalid_grant")
		},
		"client-credentials": func(h hardened) {
			if got := h.asks(credentials("scope", "data:read")).JSON(h.TB); got["token_type"] != h.tokenType() {
				h.Errorf("got %v", got)
			}
		},
	}
}

// assertionModules are those about what the client signs.
func assertionModules(w *world) map[string]func(hardened) {
	all := map[string]func(hardened){
		"dpop-proof-signed-with-RS256-fails": func(h hardened) {
			rsa := w.key(jose.RS256)
			proof := rsa.Proof(http.MethodPost, h.URL+tokenPath)
			h.refused(h.sends(tokenPath, credentials("scope", "data:read"), h.assertion(nil), proof),
				http.StatusBadRequest, "invalid_dpop_proof")
		},
		"and so at resources, though its key could have signed otherwise": func(h hardened) {
			h.holder = w.key(jose.PS256)
			token := h.flow()["access_token"].(string)
			for algorithm, want := range map[jose.SignatureAlgorithm]int{jose.RS256: 401, jose.PS256: 200} {
				k := h.holder
				k.Algorithm = algorithm
				r, err := http.NewRequest(http.MethodGet, h.URL+userInfoPath, nil)
				h.must(err)
				k.Use(r, token, h.URL+userInfoPath)
				if got := h.do(plain, r); got.Status != want {
					h.Errorf("%s: %d %s", algorithm, got.Status, got.Body)
				}
			}
		},
		"ensure-signed-client-assertion-with-RS256-fails": func(h hardened) {
			assertion := h.signedBy(jose.RS256, h.keyed.key, map[string]any{"kid": h.kid}, h.said(nil))
			h.refused(h.sends(tokenPath, credentials(), assertion, h.proofOf()), http.StatusUnauthorized, "invalid_client")
		},
	}
	now := func() int64 { return w.ambient.Now().Unix() }
	for name, change := range map[string]func() map[string]any{
		"with-iss-aud-as-an-array-fails": func() map[string]any { return map[string]any{"aud": []string{w.URL}} },
		"with-several-aud-fails": func() map[string]any {
			return map[string]any{"aud": []string{w.URL,
				"https://else.example.test"}}
		},
		"with-token-endpoint-aud-fails": func() map[string]any {
			return map[string]any{"aud": w.URL + provider.TokenPath}
		},
		"with-par-endpoint-aud-fails": func() map[string]any { return map[string]any{"aud": w.URL + pushPath} },
		"with-wrong-aud-fails": func() map[string]any {
			return map[string]any{"aud": "https://else.example.test"}
		},
		"with-no-sub-fails":                   func() map[string]any { return map[string]any{"sub": nil} },
		"with-no-iss-fails":                   func() map[string]any { return map[string]any{"iss": nil} },
		"with-exp-is-5-minutes-in-past-fails": func() map[string]any { return map[string]any{"exp": now() - 300} },
		"with-iat-is-61-seconds-in-future": func() map[string]any {
			return map[string]any{"iat": now() + 61,
				"exp": now() + 120}
		},
		"with-nbf-is-61-seconds-in-the-future": func() map[string]any {
			return map[string]any{"nbf": now() + 61,
				"exp": now() + 120}
		},
	} {
		all["ensure-client-assertion-"+name] = func(h hardened) {
			f := func() url.Values { return credentials("scope", "data:read") }
			h.refused(h.sends(tokenPath, f(), h.assertion(change()), h.proofOf()), http.StatusUnauthorized, "invalid_client")
			h.refused(h.sends(pushPath, h.asking(h.app, pkce...), h.assertion(change()), ""),
				http.StatusUnauthorized, "invalid_client")
			if got := h.sends(tokenPath, f(), h.assertion(map[string]any{"iat": now() + 8, "nbf": now() + 8}),
				h.proofOf()); got.Status != http.StatusOK {
				h.Errorf("a clock eight seconds ahead: %s", got.Body)
			}
		}
	}
	return all
}

// Rule: FAPI-6
func TestWhatAFAPIClientMayBeRegisteredAs(t *testing.T) {
	w := newWorld(t, settings{})
	key := newKeyFor(t, jose.ES256)
	good := func() apps.Registration {
		r := apps.Registration{Name: "F", Type: storage.ClientWeb, Profile: storage.ProfileFAPI,
			RedirectURIs: []string{callback}}
		r.AuthMethod, r.JWKS = storage.AuthPrivateKey, keySet(jose.JSONWebKey{Key: key.Public(), KeyID: "k"})
		return r
	}
	made, err := w.Apps.Create(t.Context(), w.act(), good())
	w.must(err)
	if made.Secret != "" || made.Client.IDTokenAlg != "ES256" || made.Client.AccessTokenAlg != "ES256" {
		t.Errorf("made %+v", made)
	}
	for name, change := range map[string]func(*apps.Registration){
		"a public one": func(r *apps.Registration) { r.Type, r.AuthMethod = storage.ClientSPA, "" },
		"a native one": func(r *apps.Registration) { r.Type, r.AuthMethod = storage.ClientNative, "" },
		"a secret":     func(r *apps.Registration) { r.AuthMethod, r.JWKS = "", "" },
		"plain http": func(r *apps.Registration) {
			r.RedirectURIs = []string{"http://localhost:3000/callback"}
		},
		"the token endpoint's aud": func(r *apps.Registration) { r.LegacyAudience = true },
		"RS256 for ID tokens":      func(r *apps.Registration) { r.IDTokenAlg = "RS256" },
		"RS256 for access tokens":  func(r *apps.Registration) { r.AccessTokenAlg = "RS256" },
		"RS256 to prove itself":    func(r *apps.Registration) { r.AssertionAlg = "RS256" },
		"no keys to sign requests": func(r *apps.Registration) {
			r.Profile, r.AuthMethod, r.JWKS = storage.ProfileFAPISigned, storage.AuthCertificate, ""
			r.CertificateField, r.CertificateName = "san_dns", "f.example.test"
		},
	} {
		r := good()
		change(&r)
		if _, err := w.Apps.Create(t.Context(), w.act(), r); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	standard := w.app(apps.Registration{})
	if _, err := w.Apps.Update(t.Context(), w.act(), standard.ID,
		apps.Change{Profile: new(storage.ProfileFAPI)}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a standard client becomes one as it is: %v", err)
	}
}
