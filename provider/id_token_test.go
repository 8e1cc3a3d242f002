package provider_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// publishedKeys reads the RS256 keys as a stranger would: kid to public key.
func (w *world) publishedKeys() map[string]*rsa.PublicKey {
	w.Helper()
	keys := map[string]*rsa.PublicKey{}
	for _, entry := range w.get("/authentication/v2/keys").JSON(w)["keys"].([]any) {
		jwk := entry.(map[string]any)
		if jwk["alg"] != "RS256" {
			continue
		}
		n, err := base64.RawURLEncoding.DecodeString(jwk["n"].(string))
		w.must(err)
		e, err := base64.RawURLEncoding.DecodeString(jwk["e"].(string))
		w.must(err)
		keys[jwk["kid"].(string)] = &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
	}
	return keys
}

// verified returns the claims of a token that a published key signed with
// RS256, judged with the standard library alone.
func (w *world) verified(token any) map[string]any {
	w.Helper()
	header := part(w, token, 0)
	text := token.(string)
	signed, signature := text[:strings.LastIndex(text, ".")], text[strings.LastIndex(text, ".")+1:]
	raw, err := base64.RawURLEncoding.DecodeString(signature)
	w.must(err)
	key := w.publishedKeys()[header["kid"].(string)]
	if key == nil || header["alg"] != "RS256" {
		w.Fatalf("header %v", header)
	}
	sum := sha256.Sum256([]byte(signed))
	w.must(rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], raw))
	return payload(w, token)
}

// half is the left half of a SHA-256 in base64url, as OpenID Connect Core
// 3.1.3.6 describes at_hash and c_hash.
func half(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.TrimRight(base64.URLEncoding.EncodeToString(sum[:16]), "=")
}

// halfFor is half by the hash that goes with the algorithm: Ed25519 hashes with SHA-512.
func halfFor(algorithm, text string) string {
	if algorithm != "EdDSA" {
		return half(text)
	}
	sum := sha512.Sum512([]byte(text))
	return strings.TrimRight(base64.URLEncoding.EncodeToString(sum[:32]), "=")
}

// Rules: AUTH-19, IDTOKEN-1, IDTOKEN-2
func TestIDTokenOfTheCodeFlowClaimByClaim(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.fullPerson()
	a := w.app(apps.Registration{})
	b := w.browser()
	b.through(b.get(w.URL+"/login"), somebody)
	signedIn := w.ambient.Now()
	w.wait(10 * time.Minute)
	issued := w.ambient.Now()
	nonce := strings.Repeat("n", 43)
	body := b.tokens(a, somebody, "nonce", nonce)
	claims := w.verified(body["id_token"])

	near := func(name string, want time.Time) {
		at, ok := claims[name].(float64)
		if d := time.Unix(int64(at), 0).Sub(want); !ok || d < -2*time.Second || d > 30*time.Second {
			t.Errorf("%s is %v, want %v", name, claims[name], want)
		}
	}
	near("auth_time", signedIn)
	near("iat", issued)
	if claims["exp"] != claims["iat"].(float64)+3600 {
		t.Errorf("iat %v, exp %v", claims["iat"], claims["exp"])
	}
	if sid, _ := claims["sid"].(string); sid == "" {
		t.Errorf("sid is %v", claims["sid"])
	}
	want := map[string]any{
		"iss": w.URL, "sub": user.ID, "aud": a.ID, "nonce": nonce,
		"acr": "urn:portico:acr:1", "amr": []any{"pwd"}, "at_hash": half(body["access_token"].(string)),
	}
	times := cmpopts.IgnoreMapEntries(func(name string, _ any) bool {
		return slices.Contains([]string{"auth_time", "iat", "exp", "sid"}, name)
	})
	if diff := cmp.Diff(want, claims, times); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if acr := list(w.discovery()["acr_values_supported"]); !slices.Contains(acr, claims["acr"].(string)) {
		t.Errorf("acr %v is not among %v", claims["acr"], acr)
	}
}

// Rules: IDTOKEN-7, FACTOR-21
func TestTheContextClassesOfDiscoveryAreThoseThatPeopleCanBeProvenBy(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	given, _ := b.idClaims(a)
	d := w.guarded("guarded@example.test")
	stronger := w.browser().guardedClaims(a, d)["acr"].(string)
	if diff := cmp.Diff([]string{given["acr"].(string), stronger},
		list(w.discovery()["acr_values_supported"])); diff != "" {
		t.Errorf("what sign-ins give (-) and what is listed (+):\n%s", diff)
	}
	insist := func(acr string) string {
		return `{"id_token":{"acr":{"essential":true,"value":"` + acr + `"}}}`
	}
	for _, pairs := range [][]string{{"acr_values", given["acr"].(string)}, {"claims", insist(given["acr"].(string))},
		{"acr_values", stronger}} {
		if claims, _ := b.idClaims(a, pairs...); claims["acr"] != given["acr"] {
			t.Errorf("%v: acr is %v", pairs, claims["acr"])
		}
	}
	w.wait(time.Minute)
	if claims := w.browser().guardedClaims(a, d, "claims", insist(stronger)); claims["acr"] != stronger {
		t.Errorf("whoever insists on two factors gets %v", claims["acr"])
	}
	if v := b.get(w.authorizeURL(a, "claims", insist(stronger), "prompt", "none")); v.Away == nil ||
		v.Away.Query().Get("error") != "unmet_authentication_requirements" {
		t.Errorf("who insists on more, and on no page, is sent to %v", v.Away)
	}
}

// Rules: AUTH-19, IDTOKEN-4
func TestIDTokenOfTheCodeFlowNamesThePersonOnlyByGrantedScope(t *testing.T) {
	w := newWorld(t, settings{})
	w.fullPerson()
	a := w.app(apps.Registration{})
	b := w.browser()
	cases := map[string]map[string]any{
		"openid":       {},
		"openid email": {"email": somebody, "email_verified": true},
		"openid profile": {"name": "Demo Person", "preferred_username": "demo", "given_name": "Demo",
			"picture": "https://app.example.test/demo.png"},
	}
	for scopes, want := range cases {
		claims := payload(t, b.tokens(a, somebody, "scope", scopes)["id_token"])
		got := map[string]any{}
		for _, name := range []string{"email", "email_verified", "name", "preferred_username", "given_name",
			"picture", "address", "nonce"} {
			if value, ok := claims[name]; ok {
				got[name] = value
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", scopes, diff)
		}
	}
}

// Rules: IDTOKEN-4, IDTOKEN-5, IDTOKEN-8, IDTOKEN-9
func TestWhereClaimsAboutThePersonStand(t *testing.T) {
	w := newWorld(t, settings{})
	w.fullPerson()
	w.inGroup(somebody, "editors")
	const all, long = "openid email profile groups", "openid email profile groups user-profile:read"
	scopes := append(strings.Fields(long), "offline_access")
	about := []string{"email", "email_verified", "name", "given_name", "groups", "about_me"}
	told := func(token any) string {
		claims := payload(t, token)
		return strings.Join(slices.DeleteFunc(slices.Clone(about), func(name string) bool { return claims[name] == nil }),
			" ")
	}
	const standard = "email email_verified name given_name groups"
	const byName = `{"id_token":{"email":null,"groups":null}}`
	for lean, want := range map[bool]map[string]string{
		false: {"code": standard, "hybrid": standard, "refresh": standard, "named": "email groups"},
		true:  {"code": "", "hybrid": "", "refresh": "", "named": "email groups"},
	} {
		a := w.app(apps.Registration{Scopes: scopes, LeanIDToken: lean})
		b := w.browser()
		code := b.tokens(a, somebody, "scope", long)
		answer := b.through(b.get(w.authorizeURL(a, "response_type", "code id_token", "nonce", "n", "scope", all)),
			somebody).parameters(t)
		named := b.through(b.get(w.authorizeURL(a, "response_type", "code id_token", "nonce", "n", "claims", byName)),
			somebody).parameters(t)
		alone := b.through(b.get(w.authorizeURL(a, "response_type", "id_token", "nonce", "n", "scope", long)),
			somebody).parameters(t)
		for where, got := range map[string][2]string{
			"code":                  {told(code["id_token"]), want["code"]},
			"refresh":               {told(w.refreshWith(a, code).JSON(t)["id_token"]), want["refresh"]},
			"hybrid, front channel": {told(answer.Get("id_token")), ""},
			"hybrid, token":         {told(b.redeem(a, answer.Get("code")).JSON(t)["id_token"]), want["hybrid"]},
			"named, front channel":  {told(named.Get("id_token")), ""},
			"named, token":          {told(b.redeem(a, named.Get("code")).JSON(t)["id_token"]), want["named"]},
			"an ID token alone":     {told(alone.Get("id_token")), standard + " about_me"},
		} {
			if got[0] != got[1] {
				t.Errorf("lean %v, %s: tells %q, want %q", lean, where, got[0], got[1])
			}
		}
		if info := w.userInfo(code["access_token"].(string)).JSON(t); info["email"] != somebody || info["about_me"] == nil {
			t.Errorf("lean %v, user info: %v", lean, info)
		}
	}
}

// Rule: IDTOKEN-6
func TestNoIDTokenWithoutOpenID(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: []string{"openid", "data:read"}})
	if body := w.browser().tokens(a, somebody, "scope", "data:read"); body["id_token"] != nil ||
		body["refresh_token"] == nil {
		t.Errorf("answer %v", body)
	}
	if body := w.browser().tokens(a, somebody, "scope", "openid data:read"); body["id_token"] == nil {
		t.Errorf("answer %v", body)
	}
}

// Rules: IDTOKEN-2, IDTOKEN-3
func TestHashesOfTheHybridFlowBindCodeAndAccessToken(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	q := b.through(b.get(w.authorizeURL(a, "response_type", "id_token code", "nonce", "n")), somebody).parameters(t)
	front := w.verified(q.Get("id_token"))
	if front["c_hash"] != half(q.Get("code")) || front["at_hash"] != nil || q.Get("access_token") != "" {
		t.Errorf("claims %v in %v", front, q)
	}
	body := b.redeem(a, q.Get("code")).JSON(t)
	back := w.verified(body["id_token"])
	if back["at_hash"] != half(body["access_token"].(string)) {
		t.Errorf("claims %v", back)
	}
	for _, same := range []string{"iss", "sub", "aud", "nonce", "auth_time", "sid"} {
		if front[same] != back[same] {
			t.Errorf("%s is %v in front and %v behind", same, front[same], back[same])
		}
	}
}

// Rules: TOKEN-5, TOKEN-25
func TestAccessTokenVerifiesWithThePublishedKeysAlone(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}})
	three := w.verified(w.browser().tokens(a, somebody, "scope", "openid data:read")["access_token"])
	two := w.verified(w.granted(a, credentials("scope", "data:read"))["access_token"])
	if three["iss"] != w.URL || three["aud"] != w.URL || three["sub"] != user.ID || three["userid"] != user.ID ||
		three["client_id"] != a.ID || three["scope"] != "openid data:read" || three["gid"] == nil ||
		three["jti"] == two["jti"] {
		t.Errorf("three-legged: %v", three)
	}
	if two["sub"] != a.ID || two["client_id"] != a.ID || two["userid"] != nil || two["gid"] != nil ||
		two["scope"] != "data:read" {
		t.Errorf("two-legged: %v", two)
	}
	for _, claims := range []map[string]any{two, three} {
		if claims["exp"] != claims["iat"].(float64)+3600 {
			t.Errorf("iat %v, exp %v", claims["iat"], claims["exp"])
		}
	}
}

// Rules: KEY-1, KEY-7
func TestKeysHaveDistinctNamesAndSurviveARotation(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	before := w.publishedKeys()
	token := w.granted(a, credentials())["access_token"]
	_, err := w.Keys.Rotate(t.Context(), w.act(), signing.RS256, true)
	w.must(err)
	fresh := w.granted(a, credentials())["access_token"]
	names := map[any]bool{}
	entries := w.get("/authentication/v2/keys").JSON(t)["keys"].([]any)
	for _, entry := range entries {
		names[entry.(map[string]any)["kid"]] = true
	}
	after := w.publishedKeys()
	if len(entries) != len(names) || len(after) <= len(before) {
		t.Errorf("%d keys, %d names, %d before and %d after of RS256", len(entries), len(names), len(before), len(after))
	}
	for kid, key := range before {
		if after[kid] == nil || !after[kid].Equal(key) {
			t.Errorf("the key %s is gone or another", kid)
		}
	}
	if part(t, fresh, 0)["kid"] == part(t, token, 0)["kid"] {
		t.Error("the rotation changed nothing")
	}
	w.verified(token)
	w.verified(fresh)
}

// Rules: KEY-1, KEY-6, KEY-8
func TestKeysShowNothingPrivate(t *testing.T) {
	w := newWorld(t, settings{})
	got := w.get("/authentication/v2/keys")
	for _, entry := range got.JSON(t)["keys"].([]any) {
		jwk := entry.(map[string]any)
		members := map[any]int{"RSA": 6, "EC": 7, "OKP": 6}[jwk["kty"]]
		if jwk["use"] != "sig" || jwk["alg"] == "" || jwk["kid"] == "" || len(jwk) != members || jwk["d"] != nil {
			t.Errorf("members %v", jwk)
		}
	}
	for kid, key := range w.publishedKeys() {
		if key.N.BitLen() < 2048 || key.E != 65537 {
			t.Errorf("%s has %d bits and exponent %d", kid, key.N.BitLen(), key.E)
		}
	}
	if got.Header.Get("Cache-Control") != "public, max-age=3600" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", got.Header)
	}
}
