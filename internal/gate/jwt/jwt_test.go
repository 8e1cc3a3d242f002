package jwt_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/gate/jwt"
)

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func signed(t *testing.T, key any, algorithm jose.SignatureAlgorithm, typ, payload string) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if typ != "" {
		options.WithType(jose.ContentType(typ))
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signer.Sign([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	text, err := token.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func useFor(key crypto.PublicKey, types ...string) jwt.Use {
	return jwt.Use{
		Types: types, Algorithms: []string{"ES256"}, Longest: 4096,
		Key: func(context.Context, jwt.Header) (crypto.PublicKey, error) { return key, nil },
	}
}

// Rules: TOKEN-34, VOUCH-2
func TestATokenOpensForItsOwnPurposeAlone(t *testing.T) {
	key := newKey(t)
	kinds := []string{
		jwt.TypeNone, jwt.TypePlain, jwt.TypeAccess, jwt.TypeLogout, jwt.TypeClientAuthentication,
		"dpop+jwt", "oauth-authz-req+jwt", jwt.TypeVouching, "secevent+jwt",
	}
	for _, made := range kinds {
		for _, spelling := range []string{made, strings.ToUpper(made), "application/" + made} {
			if made == jwt.TypeNone && spelling != made {
				continue
			}
			token := signed(t, key, jose.ES256, spelling, `{"iss":"i"}`)
			for _, wanted := range kinds {
				_, _, err := useFor(&key.PublicKey, wanted).Open(t.Context(), token)
				if opened := err == nil; opened != (made == wanted) {
					t.Errorf("typ %q for %q: %v", spelling, wanted, err)
				}
			}
		}
	}
}

// Rules: TOKEN-33, TOKEN-34
func TestWhatIsNotSignedAsTheUseSaysDoesNotOpen(t *testing.T) {
	key := newKey(t)
	good := signed(t, key, jose.ES256, "", `{"iss":"i"}`)
	parts := strings.Split(good, ".")
	use := useFor(&key.PublicKey, jwt.TypeNone)
	if header, payload, err := use.Open(t.Context(), good); err != nil || string(payload) != `{"iss":"i"}` ||
		header.Claimed().Issuer != "i" {
		t.Fatalf("the twin: %s, %v", payload, err)
	}
	for name, c := range map[string]struct {
		token string
		cause jwt.Cause
	}{
		"empty":                {"", jwt.CauseForm},
		"alg none":             {"eyJhbGciOiJub25lIn0." + parts[1] + ".", jwt.CauseForm},
		"a symmetric key":      {signed(t, []byte(strings.Repeat("k", 32)), jose.HS256, "", `{}`), jwt.CauseForm},
		"too long":             {good + strings.Repeat("A", 4096), jwt.CauseForm},
		"another key":          {signed(t, newKey(t), jose.ES256, "", `{"iss":"i"}`), jwt.CauseSignature},
		"another payload":      {parts[0] + ".e30." + parts[2], jwt.CauseSignature},
		"another typ":          {signed(t, key, jose.ES256, "at+jwt", `{}`), jwt.CauseType},
		"spaces in a part":     {parts[0] + ". " + parts[1] + "." + parts[2], jwt.CauseForm},
		"a header with a crit": {"eyJhbGciOiJFUzI1NiIsImNyaXQiOltdfQ." + parts[1] + "." + parts[2], jwt.CauseForm},
	} {
		if _, _, err := use.Open(t.Context(), c.token); !errors.Is(err, c.cause) {
			t.Errorf("%s: %v, want %q", name, err, c.cause)
		}
	}
}

// Rule: TOKEN-34
func TestClaimsAreForOneAudienceAndTime(t *testing.T) {
	now := time.Unix(1_900_000_000, 0)
	want := jwt.Expected{
		Issuer: "i", Subject: "s", Audiences: []string{"a", "b"}, Now: now, Leeway: 30 * time.Second,
		Longest: 5 * time.Minute, IDNeeded: true,
	}
	const good = `{"iss":"i","sub":"s","aud":"a","exp":1900000060,"iat":1900000010,"nbf":1900000010,"jti":"j"}`
	for change, cause := range map[string]jwt.Cause{
		`"a" "a"`: "", `"a" "b"`: "", `"a" ["a"]`: "", `1900000060 1900000060.5`: "", `1900000060 1899999980`: "",
		`"i" "I"`: jwt.CauseIssuer, `"s" "i"`: jwt.CauseSubject, `"a" "c"`: jwt.CauseAudience, `"a" []`: jwt.CauseAudience,
		`"a" ["a","b"]`: jwt.CauseAudience, `"a" ["a","c"]`: jwt.CauseAudience, `"exp" "EXP"`: jwt.CauseNoExpiry,
		`1900000060 1899999960`: jwt.CauseExpired, `1900000060 1900000301`: jwt.CauseExpiryFar,
		`"iat":1900000010 "iat":1900000061`: jwt.CauseIssuedAt, `"nbf":1900000010 "nbf":1900000061`: jwt.CauseNotBefore,
		`"jti" "ID"`: jwt.CauseNoID, `"j" ""`: jwt.CauseID,
	} {
		from, to, _ := strings.Cut(change, " ")
		var claims jwt.Claims
		err := jwt.Read([]byte(strings.Replace(good, from, to, 1)), &claims)
		if err == nil {
			err = claims.Judge(want)
		}
		if got := jwt.Cause(""); cause == "" && err != nil || cause != "" && (!errors.As(err, &got) || got != cause) {
			t.Errorf("%s: %v, want %q", change, err, cause)
		}
	}
}
