package provider_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// keyed is a client with a key of its own.
type keyed struct {
	*world
	app
	key crypto.Signer
	alg jose.SignatureAlgorithm
	kid string
}

func newKeyFor(t testing.TB, alg jose.SignatureAlgorithm) crypto.Signer {
	t.Helper()
	var key crypto.Signer
	var err error
	switch alg {
	case jose.ES256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.EdDSA:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// keySet is the text of a JSON Web Key Set.
func keySet(keys ...jose.JSONWebKey) string {
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (w *world) keyed(alg jose.SignatureAlgorithm, change ...func(*apps.Registration)) keyed {
	w.Helper()
	k := keyed{world: w, key: newKeyFor(w, alg), alg: alg, kid: "k1"}
	r := apps.Registration{Scopes: []string{"openid", "data:read"}}
	r.AuthMethod, r.JWKS = storage.AuthPrivateKey, keySet(jose.JSONWebKey{Key: k.key.Public(), KeyID: k.kid})
	for _, c := range change {
		c(&r)
	}
	k.app = w.app(r)
	return k
}

// said are the claims of a good assertion, changed.
func (k keyed) said(change map[string]any) map[string]any {
	now := k.ambient.Now()
	claims := map[string]any{
		"iss": k.ID, "sub": k.ID, "aud": k.URL, "exp": now.Add(time.Minute).Unix(), "iat": now.Unix(), "jti": k.ambient.UID(),
	}
	for name, value := range change {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return claims
}

func (k keyed) signedBy(alg jose.SignatureAlgorithm, key any, header, claims map[string]any) string {
	k.Helper()
	options := &jose.SignerOptions{}
	for name, value := range header {
		options.WithHeader(jose.HeaderKey(name), value)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options)
	k.must(err)
	payload, err := json.Marshal(claims)
	k.must(err)
	signed, err := signer.Sign(payload)
	k.must(err)
	text, err := signed.CompactSerialize()
	k.must(err)
	return text
}

// assertion signs a good one, changed.
func (k keyed) assertion(change map[string]any) string {
	k.Helper()
	return k.signedBy(k.alg, k.key, map[string]any{"kid": k.kid}, k.said(change))
}

func proven(f url.Values, assertion string) url.Values {
	f.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	f.Set("client_assertion", assertion)
	return f
}

// tries asks for a token with the assertion.
func (k keyed) tries(assertion string, pairs ...string) answer {
	k.Helper()
	return k.post("/authentication/v2/token", app{},
		proven(credentials(append([]string{"scope", "data:read"}, pairs...)...), assertion))
}

// Rules: PROOF-1, PROOF-2
func TestAClientProvesItselfByWhatItSigns(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		for _, alg := range []jose.SignatureAlgorithm{jose.ES256, jose.EdDSA, jose.PS256, jose.RS256} {
			k := w.keyed(alg)
			kid := map[string]any{"kid": k.kid}
			if k.Secret != "" {
				t.Error("a client that has keys was given a secret")
			}
			for name, good := range map[string]string{
				"as it should be":      k.assertion(nil),
				"aud as a list of one": k.assertion(map[string]any{"aud": []string{w.URL}}),
				"no iat":               k.assertion(map[string]any{"iat": nil}),
				"a clock 10 s ahead": k.assertion(map[string]any{"iat": w.ambient.Now().Unix() + 10,
					"nbf": w.ambient.Now().Unix() + 10}),
				"no kid":                 k.signedBy(alg, k.key, nil, k.said(nil)),
				"typ JWT":                k.signedBy(alg, k.key, map[string]any{"kid": k.kid, "typ": "JWT"}, k.said(nil)),
				"the typ of RFC 10070":   k.signedBy(alg, k.key, map[string]any{"typ": "client-authentication+jwt"}, k.said(nil)),
				"further, unknown words": k.signedBy(alg, k.key, kid, k.said(map[string]any{"extra": 1})),
			} {
				if got := k.tries(good); got.Status != http.StatusOK {
					t.Errorf("%s, %s: %d %s", alg, name, got.Status, got.Body)
				}
			}
			if got := k.tries(k.assertion(nil), "client_id", k.ID); got.Status != http.StatusOK {
				t.Errorf("%s, the same client_id beside it: %d %s", alg, got.Status, got.Body)
			}
		}
		k := w.keyed(jose.ES256)
		token := k.tries(k.assertion(nil)).JSON(t)["access_token"].(string)
		if got := w.post("/authentication/v2/introspect", app{},
			proven(form("token", token), k.assertion(nil))); got.JSON(t)["active"] != true {
			t.Errorf("introspection: %s", got.Body)
		}
		if got := w.post("/authentication/v2/revoke", app{},
			proven(form("token", token), k.assertion(nil))); got.Status != http.StatusOK {
			t.Errorf("revocation: %d %s", got.Status, got.Body)
		}
		if got := w.post("/authentication/v2/introspect", app{},
			proven(form("token", token), k.assertion(nil))); got.JSON(t)["active"] != false {
			t.Errorf("after the revocation: %s", got.Body)
		}
	})
}

// Rules: PROOF-2, PROOF-3
func TestAssertionsThatProveNothing(t *testing.T) {
	w := newWorld(t, settings{})
	k, other := w.keyed(jose.ES256), w.keyed(jose.ES256)
	strict := w.keyed(jose.PS256, func(r *apps.Registration) { r.AssertionAlg = "PS256" })
	bySecret := w.app(apps.Registration{})
	now := w.ambient.Now().Unix()
	kid := map[string]any{"kid": k.kid}
	if got := strict.tries(strict.assertion(nil)); got.Status != http.StatusOK {
		t.Fatalf("the twin with the registered algorithm: %s", got.Body)
	}
	for name, assertion := range map[string]string{
		"no JWT":                        "abc",
		"alg none":                      "eyJhbGciOiJub25lIn0." + strings.Split(k.assertion(nil), ".")[1] + ".",
		"a symmetric key":               k.signedBy(jose.HS256, []byte(strings.Repeat("k", 32)), kid, k.said(nil)),
		"another client's key":          k.signedBy(jose.ES256, other.key, kid, k.said(nil)),
		"a kid of nobody":               k.signedBy(jose.ES256, k.key, map[string]any{"kid": "k2"}, k.said(nil)),
		"another algorithm than agreed": strict.signedBy(jose.RS256, strict.key, nil, strict.said(nil)),
		"a client that has a secret": k.signedBy(jose.ES256, k.key, kid,
			k.said(map[string]any{"iss": bySecret.ID, "sub": bySecret.ID})),
		"a client that nobody knows": k.assertion(map[string]any{"iss": "nobody", "sub": "nobody"}),
		"typ of an access token": k.signedBy(jose.ES256, k.key,
			map[string]any{"kid": k.kid, "typ": "at+jwt"}, k.said(nil)),
		"typ of a proof of possession": k.signedBy(jose.ES256, k.key, map[string]any{"kid": k.kid, "typ": "dpop+jwt"},
			k.said(nil)),
		"iss of another":          k.assertion(map[string]any{"iss": other.ID}),
		"sub of another":          k.assertion(map[string]any{"sub": other.ID}),
		"aud: the token endpoint": k.assertion(map[string]any{"aud": w.URL + "/authentication/v2/token"}),
		"aud: us and another":     k.assertion(map[string]any{"aud": []string{w.URL, "https://else.example.test"}}),
		"aud: us, twice":          k.assertion(map[string]any{"aud": []string{w.URL, w.URL}}),
		"aud: us with a slash":    k.assertion(map[string]any{"aud": w.URL + "/"}),
		"no aud":                  k.assertion(map[string]any{"aud": nil}),
		"no exp":                  k.assertion(map[string]any{"exp": nil}),
		"expired":                 k.assertion(map[string]any{"exp": now - 60}),
		"exp ten minutes ahead":   k.assertion(map[string]any{"exp": now + 600}),
		"iat in the future":       k.assertion(map[string]any{"iat": now + 90}),
		"nbf in the future":       k.assertion(map[string]any{"nbf": now + 90}),
		"no jti":                  k.assertion(map[string]any{"jti": nil}),
		"an empty jti":            k.assertion(map[string]any{"jti": ""}),
	} {
		t.Run(name, func(t *testing.T) { w.refused(k.tries(assertion), http.StatusUnauthorized, "invalid_client") })
	}
	w.refused(k.tries(k.assertion(nil), "client_id", other.ID), http.StatusUnauthorized, "invalid_client")
	w.refused(k.tries(k.assertion(nil), "client_secret", "x"), http.StatusBadRequest, "invalid_request")
	w.refused(w.post("/authentication/v2/token", bySecret, proven(credentials(), k.assertion(nil))),
		http.StatusBadRequest, "invalid_request")
	wrongType := proven(credentials(), k.assertion(nil))
	wrongType.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer")
	w.refused(w.post("/authentication/v2/token", app{}, wrongType), http.StatusUnauthorized, "invalid_client")
	if got := w.raw("application/x-www-form-urlencoded", "?client_assertion="+k.assertion(nil), credentials().Encode(),
		nil); got.Status != http.StatusBadRequest {
		t.Errorf("an assertion in the URL: %d %s", got.Status, got.Body)
	}
}

// Rule: PROOF-4
func TestAnAssertionProvesItsClientOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		replica := newWorld(t, settings{database: database, beside: w})
		k, other := w.keyed(jose.ES256), w.keyed(jose.ES256)
		assertion := k.assertion(map[string]any{"jti": "once"})
		var won atomic.Int32
		var all sync.WaitGroup
		for i := range 50 {
			server := []*world{w, replica}[i%2]
			all.Go(func() {
				if server.post("/authentication/v2/token", app{}, proven(credentials(), assertion)).Status == http.StatusOK {
					won.Add(1)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Errorf("%d of 50 tries with one assertion passed", won.Load())
		}
		if got := other.tries(other.assertion(map[string]any{"jti": "once"})); got.Status != http.StatusOK {
			t.Errorf("the same jti of another client: %s", got.Body)
		}
		refused := k.assertion(map[string]any{"jti": "kept"})
		w.refused(k.tries(refused, "client_id", other.ID), http.StatusUnauthorized, "invalid_client")
		if got := k.tries(refused); got.Status != http.StatusOK {
			t.Errorf("a jti was spent by a request that was refused for another reason: %s", got.Body)
		}
	})
}

// Rule: PROOF-5
func TestAClientWithKeysDoesNotProveItselfBySecretAnyMore(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Scopes: []string{"data:read"}})
		w.granted(a, credentials())
		k := keyed{world: w, app: a, key: newKeyFor(t, jose.ES256), alg: jose.ES256, kid: "k1"}
		_, err := w.Apps.Update(t.Context(), w.act(), a.ID, apps.Change{SecurityChange: apps.SecurityChange{
			AuthMethod: new(storage.AuthPrivateKey), JWKS: new(keySet(jose.JSONWebKey{Key: k.key.Public(), KeyID: "k1"})),
		}})
		w.must(err)
		w.wait(time.Second)
		w.refused(w.token(a, credentials()), http.StatusUnauthorized, "invalid_client")
		if _, err := w.Apps.RotateSecret(t.Context(), w.act(), a.ID, apps.NewSecret{}); !fault.HasReason(err,
			apps.ReasonNotForType) {
			t.Errorf("it is given a secret: %v", err)
		}
		before, err := w.Apps.Find(t.Context(), a.ID)
		w.must(err)
		if err := w.Apps.DeleteSecret(t.Context(), w.act(), before, before.Secrets[0].ID); err != nil {
			t.Errorf("the secret of before stays, and counts again whenever its keys go: %v", err)
		}
		if got := k.tries(k.assertion(nil)); got.Status != http.StatusOK {
			t.Errorf("by its key: %s", got.Body)
		}
		w.must(w.Apps.SetDisabled(t.Context(), w.act(), a.ID, true))
		w.wait(time.Second)
		w.refused(k.tries(k.assertion(nil)), http.StatusUnauthorized, "invalid_client")
	})
}

// Rule: PROOF-6
func TestOlderLibrariesNameTheTokenEndpoint(t *testing.T) {
	w := newWorld(t, settings{})
	k := w.keyed(jose.RS256, func(r *apps.Registration) { r.LegacyAudience = true })
	hour := w.ambient.Now().Add(time.Hour).Unix()
	if got := k.tries(k.assertion(map[string]any{"aud": w.URL + provider.TokenPath,
		"exp": hour})); got.Status != http.StatusOK {
		t.Errorf("as Authlib signs: %s", got.Body)
	}
	w.refused(k.tries(k.assertion(nil)), http.StatusUnauthorized, "invalid_client")
	w.refused(k.tries(k.assertion(map[string]any{"aud": []string{w.URL + provider.TokenPath, w.URL}})),
		http.StatusUnauthorized, "invalid_client")
}

// publisher is a client's own server.
type publisher struct {
	*httptest.Server
	reads  atomic.Int32
	status atomic.Int32
	body   atomic.Value
}

func newPublisher(t *testing.T) *publisher {
	p := &publisher{}
	p.status.Store(http.StatusOK)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.reads.Add(1)
		w.Header().Set("Location", "/elsewhere")
		w.Header().Set("Cache-Control", "max-age=60")
		w.WriteHeader(int(p.status.Load()))
		_, _ = w.Write([]byte(p.body.Load().(string)))
	}))
	t.Cleanup(p.Close)
	return p
}

// Rule: PROOF-7
func TestKeysAreFetchedWhereTheClientPublishesThem(t *testing.T) {
	w := newWorld(t, settings{})
	p := newPublisher(t)
	k := w.keyed(jose.ES256, func(r *apps.Registration) { r.JWKS, r.KeysURI = "", p.URL+"/jwks" })
	p.body.Store(keySet(jose.JSONWebKey{Key: k.key.Public(), KeyID: "k1"}))
	tries := func(when string, status int, reads int32) {
		t.Helper()
		if got := k.tries(k.assertion(nil)); got.Status != status || p.reads.Load() != reads {
			t.Errorf("%s: %d %s, the keys were read %d times", when, got.Status, got.Body, p.reads.Load())
		}
	}
	tries("at first", 200, 1)
	tries("again", 200, 1)
	k.key, k.kid = newKeyFor(t, jose.ES256), "k2" // the client has a new key
	p.body.Store(keySet(jose.JSONWebKey{Key: k.key.Public(), KeyID: "k2"}))
	tries("a new key within a minute", 401, 1)
	w.wait(time.Minute)
	tries("a new key after a minute", 200, 2)
	w.wait(5 * time.Minute)
	tries("after five minutes", 200, 3)
	for _, status := range []int32{http.StatusFound, http.StatusInternalServerError} {
		p.status.Store(status)
		w.wait(6 * time.Minute)
		before := p.reads.Load()
		tries("while its server fails", 200, before+1) // with the keys of before
		tries("and is left alone", 200, before+1)
	}
	w.wait(time.Hour)
	tries("an hour later", 401, p.reads.Load()+1)
	p.status.Store(http.StatusOK)
	w.wait(11 * time.Second)
	tries("when it is back", 200, p.reads.Load()+1)
}

// Who publishes one key need not name it.
//
// Rule: PROOF-7
func TestAKeyWithoutANameIsFetchedAnewWhereAnotherHasSigned(t *testing.T) {
	w := newWorld(t, settings{})
	p := newPublisher(t)
	k := w.keyed(jose.ES256, func(r *apps.Registration) { r.JWKS, r.KeysURI = "", p.URL+"/jwks" })
	p.body.Store(keySet(jose.JSONWebKey{Key: k.key.Public()}))
	tries := func(when string, status int, reads int32) {
		t.Helper()
		got := k.tries(k.signedBy(k.alg, k.key, nil, k.said(nil)))
		if got.Status != status || p.reads.Load() != reads {
			t.Errorf("%s: %d %s, the keys were read %d times", when, got.Status, got.Body, p.reads.Load())
		}
	}
	tries("at first", 200, 1)
	k.key = newKeyFor(t, jose.ES256) // the client has a new key
	p.body.Store(keySet(jose.JSONWebKey{Key: k.key.Public()}))
	tries("a new key within a minute", 401, 1)
	w.wait(time.Minute)
	tries("a new key after a minute", 200, 2)
	w.wait(time.Minute)
	tries("which is known", 200, 2)
}

// Anybody can have a client's keys fetched, and hang up.
//
// Rule: PROOF-9
func TestWhoHangsUpDoesNotKeepAClientsKeysFromBeingFetched(t *testing.T) {
	w := newWorld(t, settings{})
	p := newPublisher(t)
	k := w.keyed(jose.ES256, func(r *apps.Registration) { r.JWKS, r.KeysURI = "", p.URL+"/jwks" })
	p.body.Store(keySet(jose.JSONWebKey{Key: k.key.Public(), KeyID: "k1"}))
	asked, answers := make(chan struct{}), make(chan struct{})
	p.Config.Handler = waiting(p.Config.Handler, asked, answers)
	ctx, hangUp := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+"/authentication/v2/token",
		strings.NewReader(proven(credentials(), k.assertion(nil)).Encode()))
	w.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	go func() {
		<-asked
		hangUp()
		time.Sleep(100 * time.Millisecond) // until the server has noticed
		close(answers)
	}()
	if answer, err := plain.Do(r); err == nil {
		answer.Body.Close()
		t.Fatal("nobody hung up")
	}
	<-answers
	if got := k.tries(k.assertion(nil)); got.Status != http.StatusOK || p.reads.Load() != 1 {
		t.Errorf("after somebody hung up: %d %s, the keys were read %d times", got.Status, got.Body, p.reads.Load())
	}
}

// Rule: PROOF-7
func TestAKnownKeyDoesNotWaitForTheFetchingOfAnUnknownOne(t *testing.T) {
	w := newWorld(t, settings{})
	p := newPublisher(t)
	k := w.keyed(jose.ES256, func(r *apps.Registration) { r.JWKS, r.KeysURI = "", p.URL+"/jwks" })
	p.body.Store(keySet(jose.JSONWebKey{Key: k.key.Public(), KeyID: "k1"}))
	if got := k.tries(k.assertion(nil)); got.Status != http.StatusOK {
		t.Fatalf("at first: %s", got.Body)
	}
	w.wait(time.Minute)
	asked, answers := make(chan struct{}), make(chan struct{})
	p.Config.Handler = waiting(p.Config.Handler, asked, answers)
	made := make(chan answer)
	go func() {
		made <- k.tries(k.signedBy(jose.ES256, k.key, map[string]any{"kid": "made-up"}, k.said(nil)))
	}()
	<-asked
	if got := k.tries(k.assertion(nil)); got.Status != http.StatusOK {
		t.Errorf("a known key meanwhile: %s", got.Body)
	}
	close(answers)
	w.refused(<-made, http.StatusUnauthorized, "invalid_client")
}

// waiting is the handler, whose first answer waits.
func waiting(h http.Handler, asked, answers chan struct{}) http.Handler {
	var once sync.Once
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() {
			close(asked)
			<-answers
		})
		h.ServeHTTP(w, r)
	})
}

// Rule: PROOF-9
func TestAnAddressWithoutKeysDoesNotSilenceTheHostForOthers(t *testing.T) {
	w := newWorld(t, settings{})
	p := newPublisher(t)
	keysAt := func(path string) keyed {
		return w.keyed(jose.ES256, func(r *apps.Registration) { r.JWKS, r.KeysURI = "", p.URL+path })
	}
	stranger, k := keysAt("/stranger"), keysAt("/jwks")
	p.body.Store("no keys")
	for range 2 { // it is left alone after the first
		w.refused(stranger.tries(stranger.assertion(nil)), http.StatusUnauthorized, "invalid_client")
	}
	p.body.Store(keySet(jose.JSONWebKey{Key: k.key.Public(), KeyID: "k1"}))
	if got := k.tries(k.assertion(nil)); got.Status != http.StatusOK || p.reads.Load() != 2 {
		t.Errorf("another client at the same host: %d %s, %d reads", got.Status, got.Body, p.reads.Load())
	}
}

// Rule: PROOF-8
func TestWhatKeysAClientMayRegister(t *testing.T) {
	w := newWorld(t, settings{})
	key := newKeyFor(t, jose.ES256)
	good := keySet(jose.JSONWebKey{Key: key.Public(), KeyID: "k"})
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	w.must(err)
	by := func(method, keys, address string) apps.Registration {
		return apps.Registration{
			Name: "K", Type: storage.ClientService, Profile: storage.ProfileStandard,
			ClientSecurity: storage.ClientSecurity{AuthMethod: method, JWKS: keys, KeysURI: address},
		}
	}
	platform, public := by(storage.AuthPrivateKey, good, ""), by(storage.AuthPrivateKey, good, "")
	platform.Profile, public.Type, public.RedirectURIs = storage.ProfilePlatform, storage.ClientSPA, []string{callback}
	for name, r := range map[string]apps.Registration{
		"no keys":             by(storage.AuthPrivateKey, "", ""),
		"keys and an address": by(storage.AuthPrivateKey, good, "https://app.example.test/jwks"),
		"another method":      by("client_secret_jwt", good, ""), "a platform client": platform,
		"a client that keeps nothing secret": public,
		"no JSON":                            by(storage.AuthPrivateKey, "keys", ""),
		"an empty set":                       by(storage.AuthPrivateKey, `{"keys":[]}`, ""),
		"a private key":                      by(storage.AuthPrivateKey, keySet(jose.JSONWebKey{Key: key}), ""),
		"a symmetric key":                    by(storage.AuthPrivateKey, `{"keys":[{"kty":"oct","k":"AAAA"}]}`, ""),
		"a weak key":                         by(storage.AuthPrivateKey, keySet(jose.JSONWebKey{Key: &weak.PublicKey}), ""),
		"a curve that nothing is signed with": by(storage.AuthPrivateKey, `{"keys":[{"kty":"EC","crv":"P-384","x":"`+
			strings.Repeat("A", 64)+`","y":"`+strings.Repeat("A", 64)+`"}]}`, ""),
		"two of one name": by(storage.AuthPrivateKey,
			keySet(jose.JSONWebKey{Key: key.Public(), KeyID: "k"},
				jose.JSONWebKey{Key: newKeyFor(t, jose.ES256).Public(), KeyID: "k"}), ""),
		"far too long":                  by(storage.AuthPrivateKey, good+strings.Repeat(" ", 40<<10)+"{}", ""),
		"an address within our network": by(storage.AuthPrivateKey, "", "https://192.168.1.1/jwks"),
		"no https":                      by(storage.AuthPrivateKey, "", "http://93.184.216.34/jwks"),
	} {
		if _, err := w.Apps.Create(t.Context(), w.act(), r); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = w.Apps.Create(t.Context(), w.act(),
		by(storage.AuthPrivateKey, `{"keys":[{"kty":"RSA","e":"AQAB","n":"`+strings.Repeat("w", 1024)+`"}]}`, ""))
	if err == nil || !strings.Contains(err.Error(), "4096 bits at most") {
		t.Errorf("a key that is too large: %v", err)
	}
	for name, r := range map[string]apps.Registration{
		"keys":       by(storage.AuthPrivateKey, good, ""),
		"an address": by(storage.AuthPrivateKey, "", "https://app.example.test/jwks"),
	} {
		if _, err := w.Apps.Create(t.Context(), w.act(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rule: PROOF-3
func TestWhoeverManagesAClientSeesWhatItsAssertionLacked(t *testing.T) {
	heard := &listener{}
	w := newWorld(t, settings{watch: heard})
	k := w.keyed(jose.ES256)
	k.tries(k.assertion(map[string]any{"aud": w.URL + provider.TokenPath}))
	want := [][3]string{{
		string(storage.FailureSecret), "a client assertion with the aud " + w.URL + provider.TokenPath,
		"the aud " + w.URL + " and no other",
	}}
	if diff := cmp.Diff(want, heard.told()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
