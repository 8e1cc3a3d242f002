package signing_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/gate/jwt"
)

// FuzzVerifyAccess: whatever comes in, nothing panics, every failure is an
// invalid_token, and what is accepted says exactly what was signed.
// Rule: TOKEN-26
func FuzzVerifyAccess(f *testing.F) {
	w := newWorld(f)
	set := w.open()
	claims := w.claims()
	claims.JTI = "jti-1"
	good, err := set.SignAccess(f.Context(), "", claims)
	if err != nil {
		f.Fatal(err)
	}
	parts := strings.Split(good, ".")
	id, err := set.SignID(f.Context(), "", claims)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		good, id, "", ".", "..", "...", "a.b.c",
		parts[0] + "." + parts[1] + ".",
		parts[0] + ".." + parts[2],
		"." + parts[1] + "." + parts[2],
		encode(`{"alg":"none"}`) + "." + parts[1] + ".",
		encode(`{"alg":"HS256","kid":"first-key","typ":"at+jwt"}`) + "." + parts[1] + "." + parts[2],
		encode(`{"alg":"RS256","kid":"first-key","typ":"at+jwt","crit":["b64"],"b64":false}`) + "." +
			parts[1] + "." + parts[2],
		encode(`{"alg":"RS256","kid":"first-key","typ":["at+jwt"]}`) + "." + parts[1] + "." + parts[2],
		encode(`{"alg":"RS256","kid":{},"jwk":{"kty":"RSA"}}`) + "." + parts[1] + "." + parts[2],
		`{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
		strings.Repeat("A", 20000), "\xff.\x00.\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		got, err := set.VerifyAccess(t.Context(), token)
		if err != nil {
			if !isInvalidToken(err) {
				t.Fatalf("%q: %v is not invalid_token", token, err)
			}
			return
		}
		jws, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256})
		if err != nil {
			t.Fatalf("%q was accepted but is no token: %v", token, err)
		}
		payload, err := jws.Verify(&firstKey(t).PublicKey)
		want := claims
		want.Issuer, want.Audience = issuer, jwt.Strings{audience}
		signed, _ := json.Marshal(want)
		if err != nil || string(payload) != string(signed) || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q was accepted with claims nobody signed: %+v, %v", token, got, err)
		}
	})
}
