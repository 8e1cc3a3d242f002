package signing_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/gate/signing"
)

// Rule: TOKEN-25
func TestAccessTokenVerifiesUntilItExpires(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	want := w.claims()
	token, err := set.SignAccess(t.Context(), "", want)
	if err != nil {
		t.Fatal(err)
	}
	want.Issuer, want.Audience = issuer, jwt.Strings{audience}
	for _, turn := range []string{"first", "remembered"} {
		got, err := set.VerifyAccess(t.Context(), token)
		if err != nil {
			t.Fatalf("%s: %v", turn, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: claims (-want +got):\n%s", turn, diff)
		}
	}
	w.clock.Advance(time.Hour - time.Second)
	if _, err := set.VerifyAccess(t.Context(), token); err != nil {
		t.Errorf("a second before its end: %v", err)
	}
	w.clock.Advance(time.Second)
	if _, err := set.VerifyAccess(t.Context(), token); !isInvalidToken(err) {
		t.Errorf("at its end: %v, want invalid_token although it is remembered", err)
	}
	if _, err := w.open().VerifyAccess(t.Context(), token); !isInvalidToken(err) {
		t.Errorf("at its end, not remembered: %v, want invalid_token", err)
	}
}

// Rules: TOKEN-8, TOKEN-33
func TestForgedAccessTokensAreRefused(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	good := w.access(set)
	parts := strings.Split(good, ".")
	claims := `{"iss":"` + issuer + `","sub":"USER","aud":"` + audience +
		`","client_id":"client","exp":4000000000,"jti":"j","scope":""}`
	rs256 := func(kid, typ, payload string) string {
		return forge(t, jose.RS256, jose.JSONWebKey{Key: firstKey(t), KeyID: kid}, typ, payload)
	}
	other, err := rsa.GenerateKey(w.source.Random(), 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, _ := x509.MarshalPKIXPublicKey(&firstKey(t).PublicKey)
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})

	// The positive twin: what the forgeries are variations of.
	for _, typ := range []string{"at+jwt", "AT+JWT", "application/at+jwt"} {
		if _, err := set.VerifyAccess(t.Context(), rs256(firstKID, typ, claims)); err != nil {
			t.Fatalf("typ %s: %v", typ, err)
		}
	}

	for name, token := range map[string]string{
		"empty":       "",
		"not a token": "abc",
		"alg none": encode(`{"alg":"none","kid":"first-key","typ":"at+jwt"}`) +
			"." + encode(claims) + ".",
		"alg none with a signature": encode(`{"alg":"none","kid":"first-key","typ":"at+jwt"}`) + "." +
			encode(claims) + "." + parts[2],
		"HS256 keyed with the public key, DER": forge(t, jose.HS256, jose.JSONWebKey{Key: public, KeyID: firstKID}, "at+jwt",
			claims),
		"HS256 keyed with the public key, PEM": forge(t, jose.HS256, jose.JSONWebKey{Key: publicPEM, KeyID: firstKID},
			"at+jwt", claims),
		"RS512": forge(t, jose.RS512, jose.JSONWebKey{Key: firstKey(t), KeyID: firstKID},
			"at+jwt", claims),
		"PS256": forge(t, jose.PS256, jose.JSONWebKey{Key: firstKey(t), KeyID: firstKID},
			"at+jwt", claims),
		"unknown kid": rs256("other-key", "at+jwt", claims),
		"no kid":      rs256("", "at+jwt", claims),
		"a foreign key under our kid": forge(t, jose.RS256, jose.JSONWebKey{Key: other, KeyID: firstKID}, "at+jwt",
			claims),
		"a key that the token brings along": bringKey(t, other, claims),
		"typ of an ID token":                rs256(firstKID, "JWT", claims),
		"no typ":                            rs256(firstKID, "", claims),
		"another audience": rs256(firstKID, "at+jwt",
			strings.Replace(claims, audience, "https://else.example.test", 1)),
		"a list of others": rs256(firstKID, "at+jwt",
			strings.Replace(claims, `"`+audience+`"`, `["https://a.example.test","https://b.example.test"]`, 1)),
		"no audience":               rs256(firstKID, "at+jwt", strings.Replace(claims, `"`+audience+`"`, `[]`, 1)),
		"another issuer":            rs256(firstKID, "at+jwt", strings.Replace(claims, issuer, issuer+"/", 1)),
		"expired":                   rs256(firstKID, "at+jwt", strings.Replace(claims, "4000000000", "1000000000", 1)),
		"no exp":                    rs256(firstKID, "at+jwt", strings.Replace(claims, `"exp":4000000000,`, "", 1)),
		"no jti":                    rs256(firstKID, "at+jwt", strings.Replace(claims, `"jti":"j",`, "", 1)),
		"claims that are no object": rs256(firstKID, "at+jwt", `"claims"`),
		"tampered payload":          parts[0] + "." + encode(claims) + "." + parts[2],
		"tampered signature":        parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
		"no signature":              parts[0] + "." + parts[1] + ".",
		"four parts":                good + "." + parts[2],
		"a line break inside":       parts[0] + ".\n" + parts[1] + "." + parts[2],
		"JSON serialisation": `{"payload":"` + parts[1] + `","protected":"` + parts[0] +
			`","signature":"` + parts[2] + `"}`,
		"a line break behind":         good + "\n",
		"padding":                     good + "=",
		"spare bits in the signature": parts[0] + "." + parts[1] + "." + respelled(parts[2]),
		"a critical header":           critical(t, `["b64"]`, claims),
		"no critical header by name":  critical(t, `[]`, claims),
		"critical null":               critical(t, `null`, claims),
		"far too long":                good + strings.Repeat("A", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time must not find a wrong verdict remembered
				if _, err := set.VerifyAccess(t.Context(), token); !isInvalidToken(err) {
					t.Errorf("VerifyAccess = %v, want invalid_token", err)
				}
			}
		})
	}
}

// Rule: TOKEN-8
func TestIDTokenIsNoAccessToken(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	claims := w.claims()
	claims.Issuer, claims.Audience = issuer, jwt.Strings{audience}
	token, err := set.SignID(t.Context(), "", claims)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.VerifyAccess(t.Context(), token); !isInvalidToken(err) {
		t.Errorf("VerifyAccess = %v, want invalid_token", err)
	}
}

// Rule: TOKEN-30
func TestAnAccessTokenMayBeOfTypJWTAndIsNoIDToken(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	claims := w.claims()
	claims.Use = signing.UseAccess
	token, err := set.SignAccess(t.Context(), "", claims)
	if err != nil {
		t.Fatal(err)
	}
	got, err := set.VerifyAccess(t.Context(), token)
	claims.Issuer, claims.Audience = issuer, jwt.Strings{audience}
	if diff := cmp.Diff(claims, got); diff != "" || err != nil {
		t.Errorf("error %v, -want +got:\n%s", err, diff)
	}
	if _, err := set.VerifyIDHint(t.Context(), token); !fault.Is(err, fault.Invalid) {
		t.Errorf("as a hint: %v", err)
	}
	key := jose.JSONWebKey{Key: firstKey(t), KeyID: firstKID}
	marked := func(use string) string {
		claims.Use = use
		payload, err := json.Marshal(claims)
		if err != nil {
			t.Fatal(err)
		}
		return string(payload)
	}
	for name, token := range map[string]string{
		"typ JWT without the mark":   forge(t, jose.RS256, key, "JWT", marked("")),
		"typ JWT with another mark":  forge(t, jose.RS256, key, "JWT", marked("id")),
		"no typ with the mark":       forge(t, jose.RS256, key, "", marked(signing.UseAccess)),
		"typ at+jwt with the mark":   forge(t, jose.RS256, key, "at+jwt", marked(signing.UseAccess)),
		"a logout token with a mark": forge(t, jose.RS256, key, "logout+jwt", marked(signing.UseAccess)),
	} {
		if _, err := set.VerifyAccess(t.Context(), token); !isInvalidToken(err) {
			t.Errorf("%s: %v, want invalid_token", name, err)
		}
	}
	for _, typ := range []string{"JWT", "jwt", "application/jwt"} {
		if _, err := set.VerifyAccess(t.Context(), forge(t, jose.RS256, key, typ, marked(signing.UseAccess))); err != nil {
			t.Errorf("typ %s: %v", typ, err)
		}
	}
}

// Rule: RES-3
func TestATokenIsForItsAudienceWhoeverAskedBefore(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	const ours, a, b, c = audience, "https://a.example.test", "https://b.example.test", "https://c.example.test"
	for _, turn := range []struct {
		aud      jwt.Strings
		accepted []string
	}{{nil, []string{ours}}, {jwt.Strings{a}, []string{a}}, {jwt.Strings{a, b}, []string{a, b}}} {
		claims := w.claims()
		claims.Audience = turn.aud
		token, err := set.SignAccess(t.Context(), "", claims)
		if err != nil {
			t.Fatal(err)
		}
		for _, who := range []string{"", ours, a, b, c, ours, a} { // verdicts are remembered from the first on
			_, err := set.VerifyAccessFor(t.Context(), token, who)
			if good := who == "" || slices.Contains(turn.accepted, who); good != (err == nil) || !good && !isInvalidToken(err) {
				t.Errorf("a token for %q, asked for by %q: %v", turn.aud, who, err)
			}
		}
	}
}

// Rule: TOKEN-8
func TestServersWithAnotherNameOnTheSameKeysRefuseEachOther(t *testing.T) {
	w := newWorld(t)
	token := w.access(w.open())
	for name, change := range map[string]func(*signing.Options){
		"another audience": func(o *signing.Options) { o.Audience = "https://else.example.test" },
		"another issuer":   func(o *signing.Options) { o.Issuer = "https://else.example.test" },
	} {
		if _, err := w.open(change).VerifyAccess(t.Context(), token); !isInvalidToken(err) {
			t.Errorf("%s: %v, want invalid_token", name, err)
		}
	}
	if _, err := w.open().VerifyAccess(t.Context(), token); err != nil {
		t.Errorf("the same name: %v", err)
	}
}

func TestRememberedTokensAreBounded(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	token := w.access(set)
	if _, err := set.VerifyAccess(t.Context(), token); err != nil || set.CachedTokens() != 1 {
		t.Fatalf("%d tokens are remembered after one: %v", set.CachedTokens(), err)
	}
	set.FillCache(5 * signing.MaxCachedTokens)
	if n := set.CachedTokens(); n > signing.MaxCachedTokens {
		t.Errorf("%d tokens are remembered, more than %d", n, signing.MaxCachedTokens)
	}
	if _, err := set.VerifyAccess(t.Context(), token); err != nil {
		t.Errorf("a token that was pushed out: %v", err)
	}
}

// Rule: PROMPT-7
func TestIDTokenHintMayBeExpiredButMustBeOurs(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	sign := func(change map[string]any) string {
		claims := map[string]any{
			"iss": issuer, "sub": "USER", "aud": "client", "sid": "session",
			"exp": start.Unix() - 1000, "auth_time": start.Unix() - 5000,
		}
		for k, v := range change {
			claims[k] = v
		}
		token, err := set.SignID(t.Context(), "", claims)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	want := signing.IDHint{
		Subject: "USER", Audience: []string{"client"}, SessionID: "session",
		ExpiresAt: start.Unix() - 1000, AuthTime: start.Unix() - 5000,
	}
	for name, token := range map[string]string{
		"expired":                     sign(nil),
		"an audience of one, as list": sign(map[string]any{"aud": []string{"client"}}),
	} {
		got, err := set.VerifyIDHint(t.Context(), token)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	logout, err := set.SignLogout(t.Context(), "", map[string]any{"iss": issuer, "sub": "USER"})
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := rsa.GenerateKey(w.source.Random(), 2048)
	if err != nil {
		t.Fatal(err)
	}
	payload := `{"iss":"` + issuer + `","sub":"USER","aud":"client"}`
	for name, token := range map[string]string{
		"an access token":              w.access(set),
		"a logout token":               logout,
		"another issuer":               sign(map[string]any{"iss": "https://else.example.test"}),
		"nobody":                       sign(map[string]any{"sub": ""}),
		"an audience that is a number": sign(map[string]any{"aud": 7}),
		"alg none":                     encode(`{"alg":"none","kid":"first-key"}`) + "." + encode(payload) + ".",
		"signed by somebody else":      forge(t, jose.RS256, jose.JSONWebKey{Key: foreign, KeyID: firstKID}, "JWT", payload),
		"nothing":                      "",
		"far too long":                 strings.Repeat("A", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := set.VerifyIDHint(t.Context(), token)
			if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, signing.ReasonInvalidHint) {
				t.Errorf("VerifyIDHint = %v, want invalid_id_token_hint", err)
			}
		})
	}
}

func isInvalidToken(err error) bool {
	return fault.Is(err, fault.Unauthenticated) && fault.HasReason(err, signing.ReasonInvalidToken)
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// respelled returns other text that a lenient reader takes for the same bytes.
// The text must have spare bits.
func respelled(text string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := len(text) - 1
	return text[:last] + string(alphabet[strings.IndexByte(alphabet, text[last])^1])
}

// critical signs claims under a header with crit, as the library would not.
func critical(t *testing.T, crit, claims string) string {
	t.Helper()
	input := encode(`{"alg":"RS256","kid":"`+firstKID+`","typ":"at+jwt","crit":`+crit+`}`) + "." + encode(claims)
	sum := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(nil, firstKey(t), crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return input + "." + encode(string(signature))
}

// forge signs whatever it is given.
func forge(t *testing.T, alg jose.SignatureAlgorithm, key jose.JSONWebKey, typ, payload string) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if typ != "" {
		options = options.WithType(jose.ContentType(typ))
	}
	return serialize(t, jose.SigningKey{Algorithm: alg, Key: key}, options, payload)
}

// bringKey signs with a key whose public half is in the token's header.
func bringKey(t *testing.T, key *rsa.PrivateKey, payload string) string {
	t.Helper()
	options := (&jose.SignerOptions{EmbedJWK: true}).WithType("at+jwt")
	return serialize(t, jose.SigningKey{Algorithm: jose.RS256, Key: key}, options, payload)
}

func serialize(t *testing.T, key jose.SigningKey, options *jose.SignerOptions, payload string) string {
	t.Helper()
	signer, err := jose.NewSigner(key, options)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := signer.Sign([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	token, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}
