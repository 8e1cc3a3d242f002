package provider_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/harness/prooftest"
	"github.com/portico-id/portico/internal/harness/redistest"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

const tokenPath, userInfoPath = "/authentication/v2/token", "/userinfo"

// key makes proofs by the world's clock.
func (w *world) key(alg jose.SignatureAlgorithm) prooftest.Key {
	return prooftest.New(w.TB, w.ambient, alg)
}

// with asks for tokens with headers DPoP.
func (w *world) with(a app, f url.Values, proofs ...string) answer {
	w.Helper()
	return w.sent(tokenPath, a, f, proofs...)
}

// sent posts a form with headers DPoP.
func (w *world) sent(path string, a app, f url.Values, proofs ...string) answer {
	w.Helper()
	if a.Secret == "" {
		f.Set("client_id", a.ID)
	}
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, w.URL+path,
		strings.NewReader(f.Encode()))
	w.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if a.Secret != "" {
		r.SetBasicAuth(a.ID, a.Secret)
	}
	for _, proof := range proofs {
		r.Header.Add("DPoP", proof)
	}
	return w.do(plain, r)
}

// proven is with, with a good proof.
func (w *world) proven(a app, k prooftest.Key, f url.Values) answer {
	w.Helper()
	return w.with(a, f, k.Proof(http.MethodPost, w.URL+tokenPath))
}

// bound returns what an access token is bound to.
func (w *world) bound(token any) signing.Bound {
	w.Helper()
	claims, err := w.Keys.VerifyAccess(w.Context(), token.(string))
	w.must(err)
	if claims.Bound == nil {
		return signing.Bound{}
	}
	return *claims.Bound
}

func (w *world) boundKey(token any) string { return w.bound(token).Key }

func redemption(a app, code string) url.Values {
	f := form("grant_type", "authorization_code", "code", code, "redirect_uri", a.RedirectURIs[0])
	if a.Public() {
		f.Set("code_verifier", verifier)
	}
	return f
}

// unsigned is a proof that an algorithm stands for that is no signature.
func unsigned(proof, algorithm string) string {
	parts := strings.Split(proof, ".")
	header, _ := base64.RawURLEncoding.DecodeString(parts[0])
	parts[0] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(header), "ES256", algorithm, 1)))
	return strings.Join(parts, ".")
}

// Rules: DPOP-1, DPOP-4
func TestATokenIsBoundToTheKeyThatItsRequestProves(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Scopes: []string{"data:read"}})
		for _, alg := range []jose.SignatureAlgorithm{jose.ES256, jose.EdDSA, jose.PS256, jose.RS256} {
			k := w.key(alg)
			got := w.proven(a, k, credentials())
			body := got.JSON(t)
			token, _ := body["access_token"].(string)
			if got.Status != 200 || body["token_type"] != "DPoP" || w.boundKey(token) != k.Thumbprint() {
				t.Fatalf("%s: %d %s", alg, got.Status, got.Body)
			}
			told := w.post("/authentication/v2/introspect", a, form("token", token)).JSON(t)
			if cnf, _ := told["cnf"].(map[string]any); told["active"] != true || told["token_type"] != "DPoP" ||
				cnf["jkt"] != k.Thumbprint() {
				t.Errorf("introspection tells %v", told)
			}
		}
		plain := w.granted(a, credentials())
		if w.boundKey(plain["access_token"]) != "" || plain["token_type"] != "Bearer" {
			t.Errorf("without a proof: %v", plain)
		}
	})
}

// Rules: DPOP-2, DPOP-3
func TestProofsThatProveNothingAreRefused(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{Scopes: []string{"data:read"}})
	k, other, here := w.key(jose.ES256), w.key(jose.ES256), w.URL+tokenPath
	port := here[strings.LastIndex(w.URL, ":"):]
	change := func(c prooftest.Changes) string { return k.Proof(http.MethodPost, here, c) }
	at := func(d time.Duration) prooftest.Changes {
		return prooftest.Changes{"iat": w.ambient.Now().Add(d).Unix()}
	}
	claims := func() map[string]any {
		return map[string]any{"jti": "x", "htm": "POST", "htu": here, "iat": w.ambient.Now().Unix()}
	}
	head := func(c prooftest.Changes) string { return k.Sign(c, claims()) }
	good := k.Proof(http.MethodPost, here)
	small := w.key(jose.RS256)
	for name, c := range map[string]struct {
		proof string
		taken bool
	}{
		"good":                     {good, true},
		"more members":             {change(prooftest.Changes{"nbf": 1, "exp": 1, "more": true}), true},
		"with a query":             {k.Proof(http.MethodPost, here+"?a=1#b"), true},
		"host in upper case":       {k.Proof(http.MethodPost, strings.Replace(here, "http://", "HTTP://", 1)), true},
		"escaped":                  {k.Proof(http.MethodPost, strings.Replace(here, "token", "%74oken", 1)), true},
		"a nonce nobody asked for": {change(prooftest.Changes{"nonce": "x"}), true},
		"a minute old":             {change(at(-58 * time.Second)), true},
		"a clock that is ahead":    {change(at(8 * time.Second)), true},
		"long jti":                 {change(prooftest.Changes{"jti": strings.Repeat("ü", 256)}), true},
		"too long jti":             {change(prooftest.Changes{"jti": strings.Repeat("x", 257)}), false},
		"empty":                    {"", false},
		"no JWT":                   {"x", false},
		"no jti":                   {change(prooftest.Changes{"jti": nil}), false},
		"jti is a number":          {change(prooftest.Changes{"jti": 1}), false},
		"no htm":                   {change(prooftest.Changes{"htm": nil}), false},
		"another method":           {change(prooftest.Changes{"htm": "GET"}), false},
		"method in lower case":     {change(prooftest.Changes{"htm": "post"}), false},
		"no htu":                   {change(prooftest.Changes{"htu": nil}), false},
		"another address":          {k.Proof(http.MethodPost, w.URL+userInfoPath), false},
		"another path":             {k.Proof(http.MethodPost, here+"/"), false},
		"another host":             {k.Proof(http.MethodPost, "http://localhost"+port), false},
		"https":                    {k.Proof(http.MethodPost, strings.Replace(here, "http", "https", 1)), false},
		"a path alone":             {k.Proof(http.MethodPost, tokenPath), false},
		"no iat":                   {change(prooftest.Changes{"iat": nil}), false},
		"iat is a text":            {change(prooftest.Changes{"iat": "1"}), false},
		"too old":                  {change(at(-62 * time.Second)), false},
		"too far ahead":            {change(at(15 * time.Second)), false},
		"no typ":                   {head(prooftest.Changes{"typ": nil}), false},
		"typ JWT":                  {head(prooftest.Changes{"typ": "JWT"}), false},
		"an access token's typ":    {head(prooftest.Changes{"typ": "at+jwt"}), false},
		"no key":                   {head(prooftest.Changes{"jwk": nil}), false},
		"another key":              {head(prooftest.Changes{"jwk": jose.JSONWebKey{Key: other.Signer.Public()}}), false},
		"a private key":            {head(prooftest.Changes{"jwk": jose.JSONWebKey{Key: k.Signer}}), false},
		"a key of another kind":    {head(prooftest.Changes{"jwk": jose.JSONWebKey{Key: small.Signer.Public()}}), false},
		"a secret key":             {head(prooftest.Changes{"jwk": jose.JSONWebKey{Key: []byte("0123456789abcdef")}}), false},
		"crit":                     {head(prooftest.Changes{"crit": []string{"jwk"}}), false},
		"other claims":             {k.Sign(nil, map[string]any{"jti": "x"}), false},
		"no signature":             {good[:strings.LastIndex(good, ".")+1], false},
		"another's signature": {good[:strings.LastIndex(good, ".")] + change(nil)[strings.LastIndex(change(nil),
			"."):], false},
		"beyond what is looked into": {change(prooftest.Changes{"more": strings.Repeat("x", 9<<10)}), false},
	} {
		got := w.with(a, credentials(), c.proof)
		if c.taken && (got.Status != 200 || got.JSON(t)["token_type"] != "DPoP") {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
		if !c.taken {
			t.Log(name)
			w.refused(got, http.StatusBadRequest, "invalid_dpop_proof")
		}
	}
	w.refused(w.with(a, credentials(), change(nil), change(nil)), http.StatusBadRequest,
		"invalid_dpop_proof") // two headers
	w.refused(w.with(a, credentials(), good), http.StatusBadRequest, "invalid_dpop_proof") // again
	for _, algorithm := range []string{"none", "HS256"} {
		w.refused(w.with(a, credentials(), unsigned(change(nil), algorithm)), http.StatusBadRequest, "invalid_dpop_proof")
	}
}

// Rule: DPOP-3
func TestOneOfFiftyUsesOfAProofPasses(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{Scopes: []string{"data:read"}})
	proof := w.key(jose.ES256).Proof(http.MethodPost, w.URL+tokenPath)
	var passed atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if w.with(a, credentials(), proof).Status == 200 {
				passed.Add(1)
			}
		})
	}
	all.Wait()
	if passed.Load() != 1 {
		t.Errorf("%d uses passed", passed.Load())
	}
}

// Rule: DPOP-11
func TestServersWithRedisTakeAProofOnceTogether(t *testing.T) {
	redis := redistest.Start(t)
	for _, c := range []struct {
		url  string
		want int32
	}{{redis.URL(), 1}, {"", 2}} {
		database := sqliteURL(t)
		w := newWorld(t, settings{redis: c.url, database: database})
		beside := newWorld(t, settings{redis: c.url, database: database, beside: w})
		a := w.app(apps.Registration{Scopes: []string{"data:read"}})
		proof := w.key(jose.ES256).Proof(http.MethodPost, w.URL+tokenPath)
		var passed atomic.Int32
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				if []*world{w, beside}[i%2].with(a, credentials(), proof).Status == 200 {
					passed.Add(1)
				}
			})
		}
		all.Wait()
		if passed.Load() != c.want {
			t.Errorf("%q: %d uses passed, want %d", c.url, passed.Load(), c.want)
		}
	}
}

// Rule: DPOP-5
func TestUserInfoTakesABoundTokenFromWhoHasItsKeyAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Scopes: []string{"openid"}})
		k, other, here := w.key(jose.ES256), w.key(jose.ES256), w.URL+userInfoPath
		w.person(somebody)
		token := w.proven(a, k, redemption(a, w.browser().code(a, somebody))).JSON(t)["access_token"].(string)
		unbound := w.browser().tokens(a, somebody)["access_token"].(string)

		for name, c := range map[string]struct {
			scheme, token, proof string
			want                 string // the error; empty: it passes
		}{
			"with its proof":           {"DPoP", token, k.For(token, "GET", here), ""},
			"scheme in lower case":     {"dpop", token, k.For(token, "GET", here), ""},
			"as a bearer token":        {"Bearer", token, "", "invalid_token"},
			"bearer, beside its proof": {"Bearer", token, k.For(token, "GET", here), "invalid_token"},
			"no proof":                 {"DPoP", token, "", "invalid_dpop_proof"},
			"another's proof":          {"DPoP", token, other.For(token, "GET", here), "invalid_token"},
			"no ath":                   {"DPoP", token, k.Proof("GET", here), "invalid_dpop_proof"},
			"another token's ath":      {"DPoP", token, k.For(unbound, "GET", here), "invalid_dpop_proof"},
			"another method":           {"DPoP", token, k.For(token, "POST", here), "invalid_dpop_proof"},
			"another address":          {"DPoP", token, k.For(token, "GET", w.URL+tokenPath), "invalid_dpop_proof"},
			"a token without a key":    {"DPoP", unbound, k.For(unbound, "GET", here), "invalid_token"},
			"no token":                 {"DPoP", "a.b.c", k.For("a.b.c", "GET", here), "invalid_token"},
			"a bearer token":           {"Bearer", unbound, "", ""},
		} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, here, nil)
			w.must(err)
			r.Header.Set("Authorization", c.scheme+" "+c.token)
			if c.proof != "" {
				r.Header.Set("DPoP", c.proof)
			}
			got := w.do(plain, r)
			challenges := got.Header.Values("WWW-Authenticate")
			if c.want == "" && got.Status != 200 || c.want != "" && (got.Status != 401 || got.JSON(t)["error"] != c.want) {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
			if c.want != "" && (!strings.Contains(challenges[0], `error="`+c.want+`"`) ||
				!strings.HasPrefix(challenges[0], c.scheme+" ") ||
				!strings.Contains(challenges[len(challenges)-1], `DPoP realm="portico", algs="ES256 EdDSA PS256 RS256"`)) {
				t.Errorf("%s: challenges %q", name, challenges)
			}
		}
		got := w.post(userInfoPath, app{}, form("access_token", token))
		if got.Status != 401 || got.JSON(t)["error"] != "invalid_token" {
			t.Errorf("in a form: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: DPOP-6
func TestNoncesAreNeededWhereTheServerSaysSo(t *testing.T) {
	w := newWorld(t, settings{nonces: true})
	beside := newWorld(t, settings{nonces: true, beside: w})
	a := w.app(apps.Registration{Scopes: []string{"openid"}})
	k, here := w.key(jose.ES256), w.URL+tokenPath
	first := w.with(a, credentials(), k.Proof("POST", here))
	w.refused(first, http.StatusBadRequest, "use_dpop_nonce")
	nonce := first.Header.Get("DPoP-Nonce")
	pushed := w.sent(pushPath, a, w.asking(a), k.Proof("POST", w.URL+pushPath))
	w.refused(pushed, http.StatusBadRequest, "use_dpop_nonce")
	if told := pushed.Header.Get("DPoP-Nonce"); told != nonce {
		t.Errorf("pushing is told %q", told)
	}
	quoting := func(nonce string) string { return k.Proof("POST", here, prooftest.Changes{"nonce": nonce}) }
	w.refused(w.with(a, credentials(), quoting("")), http.StatusBadRequest, "use_dpop_nonce")
	w.refused(w.with(a, credentials(), quoting(nonce[1:]+"A")), http.StatusBadRequest, "use_dpop_nonce")
	if told := beside.with(a, credentials(), quoting("")).Header.Get("DPoP-Nonce"); told != nonce {
		t.Errorf("another server says %q, this one %q", told, nonce)
	}
	got := w.with(a, credentials("scope", "openid"), quoting(nonce))
	if got.JSON(t)["error"] != "invalid_scope" { // it got that far
		t.Errorf("with the nonce: %d %s", got.Status, got.Body)
	}
	w.person(somebody)
	got = w.with(a, redemption(a, w.browser().code(a, somebody)), quoting(nonce))
	token, _ := got.JSON(t)["access_token"].(string)
	if got.Status != 200 || got.Header.Get("DPoP-Nonce") == "" {
		t.Fatalf("with the nonce: %d %s %v", got.Status, got.Body, got.Header)
	}

	ask := func(changes ...prooftest.Changes) answer {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+userInfoPath, nil)
		w.must(err)
		k.Use(r, token, w.URL+userInfoPath, changes...)
		return w.do(plain, r)
	}
	refused := ask()
	if challenge := refused.Header.Values("WWW-Authenticate"); refused.Status != 401 || len(challenge) != 1 ||
		!strings.Contains(challenge[0], `error="use_dpop_nonce"`) || refused.Header.Get("DPoP-Nonce") != nonce {
		t.Errorf("user info: %d %v", refused.Status, refused.Header)
	}
	if got := ask(prooftest.Changes{"nonce": nonce}); got.Status != 200 {
		t.Errorf("user info with the nonce: %d %s", got.Status, got.Body)
	}
	w.wait(2 * time.Minute)
	got = ask(prooftest.Changes{"nonce": nonce})
	if renewed := got.Header.Get("DPoP-Nonce"); got.Status != 200 || renewed == nonce {
		t.Errorf("the nonce before this one: %d %s, renewed %q", got.Status, got.Body, renewed)
	}
	w.wait(2 * time.Minute)
	if got := ask(prooftest.Changes{"nonce": nonce}); got.Status != 401 {
		t.Errorf("an old nonce: %d %s", got.Status, got.Body)
	}
	if got := w.granted(w.app(apps.Registration{Scopes: []string{"data:read"}}),
		credentials()); got["token_type"] != "Bearer" {
		t.Errorf("without any proof: %v", got)
	}
}

// Rule: DPOP-7
func TestAGrantThatBeganWithAKeyGoesOnWithOne(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		public := w.app(apps.Registration{Type: storage.ClientSPA, Scopes: []string{"data:read"}})
		secret := w.app(apps.Registration{Scopes: []string{"data:read"}})
		for name, a := range map[string]app{"public": public, "confidential": secret} {
			k, other := w.key(jose.ES256), w.key(jose.ES256)
			w.person(name + "@example.test")
			pairs := []string{"scope", "data:read"}
			if a.Public() {
				pairs = append(pairs, pkce...)
			}
			code := w.browser().code(a, name+"@example.test", pairs...)
			refresh := func(token any) url.Values {
				return form("grant_type", "refresh_token", "refresh_token", token.(string))
			}
			body := w.proven(a, k, redemption(a, code)).JSON(t)
			w.refused(w.token(a, refresh(body["refresh_token"])), http.StatusBadRequest, "invalid_grant")
			again := w.proven(a, k, refresh(body["refresh_token"])).JSON(t)
			if again["token_type"] != "DPoP" {
				t.Fatalf("%s: %v", name, again)
			}
			got := w.proven(a, other, refresh(again["refresh_token"]))
			if a.Secret == "" {
				w.refused(got, http.StatusBadRequest, "invalid_grant")
				continue
			}
			if w.boundKey(got.JSON(t)["access_token"]) != other.Thumbprint() {
				t.Errorf("%s: with another key: %s", name, got.Body)
			}
		}
	})
}

// Rule: DPOP-8
func TestACodeIsRedeemedWithTheKeyThatItsRequestNames(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Scopes: []string{"data:read"}})
		k, other := w.key(jose.ES256), w.key(jose.ES256)
		w.person(somebody)
		code := w.browser().code(a, somebody, "scope", "data:read", "dpop_jkt", k.Thumbprint())
		w.refused(w.token(a, redemption(a, code)), http.StatusBadRequest, "invalid_grant")
		w.refused(w.proven(a, other, redemption(a, code)), http.StatusBadRequest, "invalid_grant")
		if got := w.proven(a, k, redemption(a, code)); got.Status != 200 {
			t.Errorf("with the key: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: DPOP-8
func TestACodeIsRedeemedWithTheKeyThatItsPushProved(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Scopes: []string{"data:read"}})
		k, other, here := w.key(jose.ES256), w.key(jose.ES256), w.URL+pushPath
		w.person(somebody)
		asking := func(pairs ...string) url.Values { return w.asking(a, append(pairs, "scope", "data:read")...) }
		b := w.browser()
		for name, asked := range map[string]url.Values{
			"by its proof":              asking(),
			"by its proof and dpop_jkt": asking("dpop_jkt", k.Thumbprint()),
		} {
			pushed := w.sent(pushPath, a, asked, k.Proof("POST", here))
			code := b.through(b.get(w.goingOn(a, pushed)), somebody).Away.Query().Get("code")
			w.refused(w.token(a, redemption(a, code)), http.StatusBadRequest, "invalid_grant")
			w.refused(w.proven(a, other, redemption(a, code)), http.StatusBadRequest, "invalid_grant")
			got := w.proven(a, k, redemption(a, code))
			if got.Status != 200 || w.boundKey(got.JSON(t)["access_token"]) != k.Thumbprint() {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		spent := k.Proof("POST", here)
		if got := w.sent(pushPath, a, asking(), spent); got.Status != http.StatusCreated {
			t.Errorf("a good one: %s", got.Body)
		}
		for name, proofs := range map[string][]string{
			"for another address": {k.Proof("POST", w.URL+tokenPath)},
			"two":                 {k.Proof("POST", here), k.Proof("POST", here)},
			"no proof":            {"x"},
			"a spent one":         {spent},
		} {
			t.Log(name)
			w.refused(w.sent(pushPath, a, asking(), proofs...), http.StatusBadRequest, "invalid_dpop_proof")
		}
		w.refused(w.sent(pushPath, a, asking("dpop_jkt", other.Thumbprint()), k.Proof("POST", here)),
			http.StatusBadRequest, "invalid_dpop_proof")
		w.refused(w.sent(pushPath, a, asking("dpop_jkt", "short")), http.StatusBadRequest, "invalid_request")
	})
}

// Rule: DPOP-9
func TestAClientMayHaveBoundTokensAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		r := apps.Registration{Scopes: []string{"data:read"}}
		r.ProofNeeded = true
		a := w.app(r)
		w.refused(w.token(a, credentials()), http.StatusBadRequest, "invalid_dpop_proof")
		if got := w.proven(a, w.key(jose.ES256), credentials()).JSON(t); got["token_type"] != "DPoP" {
			t.Errorf("with a proof: %v", got)
		}
	})
}

// Rule: DPOP-10
func TestPlatformClientsKnowNothingOfProofs(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: []string{"data:read"}})
	for _, proof := range []string{"x", w.key(jose.ES256).Proof("POST", w.URL+tokenPath)} {
		if got := w.with(a, credentials(), proof); got.Status != 200 || got.JSON(t)["token_type"] != "Bearer" {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
}

// Rule: DPOP-14
func TestAPublicClientsGrantIsBoundOnceItsClientProvesAKey(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		k := w.key(jose.ES256)
		refresh := func(body map[string]any) url.Values {
			return form("grant_type", "refresh_token", "refresh_token", body["refresh_token"].(string))
		}
		spa := w.app(apps.Registration{Type: storage.ClientSPA, Scopes: []string{"data:read"}})
		pairs := append([]string{"scope", "data:read"}, pkce...)
		plain := w.granted(spa, redemption(spa, w.browser().code(spa, somebody, pairs...)))
		plain = w.granted(spa, refresh(plain)) // which knows nothing of keys yet
		bound := w.proven(spa, k, refresh(plain)).JSON(t)
		if bound["token_type"] != "DPoP" {
			t.Fatalf("with a proof: %v", bound)
		}
		w.refused(w.token(spa, refresh(bound)), http.StatusBadRequest, "invalid_grant")
		w.refused(w.proven(spa, w.key(jose.ES256), refresh(bound)), http.StatusBadRequest, "invalid_grant")
		if got := w.proven(spa, k, refresh(bound)); got.Status != http.StatusOK {
			t.Errorf("with its key: %d %s", got.Status, got.Body)
		}

		web := w.app(apps.Registration{Scopes: []string{"data:read"}}) // whose secret binds the grant already
		plain = w.granted(web, redemption(web, w.browser().code(web, somebody, "scope", "data:read")))
		w.granted(web, refresh(w.proven(web, k, refresh(plain)).JSON(t)))
	})
}

// Whoever stole a token may prove a key of his own with it, and be first.
//
// Rule: DPOP-15
func TestAThiefsKeyDoesNotHideThatATokenWasUsedTwice(t *testing.T) {
	for name, later := range map[string]time.Duration{"within the grace": 0, "after it": grace + time.Second} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, database string) {
				w := newWorld(t, settings{database: database, lifetimes: provider.Lifetimes{RefreshGrace: grace}})
				w.person(somebody)
				thief := w.key(jose.ES256)
				a := w.app(apps.Registration{Type: storage.ClientSPA, Scopes: []string{"data:read"}})
				pairs := append([]string{"scope", "data:read"}, pkce...)
				stolen := w.granted(a, redemption(a, w.browser().code(a, somebody, pairs...)))
				refresh := func(body map[string]any) url.Values {
					return form("grant_type", "refresh_token", "refresh_token", body["refresh_token"].(string))
				}
				his := w.proven(a, thief, refresh(stolen)).JSON(t)
				w.wait(later)
				w.refused(w.token(a, refresh(stolen)), http.StatusBadRequest, "invalid_grant")
				w.refused(w.proven(a, thief, refresh(his)), http.StatusBadRequest, "invalid_grant")
			})
		})
	}
}
