package provider

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
)

// The pair of RFC 7636 appendix B.
const (
	exampleVerifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	exampleChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// Rule: CODE-5
func TestCheckVerifier(t *testing.T) {
	cases := []struct {
		name, challenge string
		sent            bool
		verifier        string
		ok              bool
	}{
		{"neither challenge nor verifier", "", false, "", true},
		{"the example of RFC 7636", exampleChallenge, true, exampleVerifier, true},
		{"a verifier without a challenge", "", true, exampleVerifier, false},
		{"an empty verifier without a challenge", "", true, "", false},
		{"a challenge without a verifier", exampleChallenge, false, "", false},
		{"a challenge with an empty verifier", exampleChallenge, true, "", false},
		{"another verifier", exampleChallenge, true, strings.Repeat("a", 43), false},
		{"the challenge itself, as method plain would have it", exampleChallenge, true, exampleChallenge, false},
		{"42 characters", exampleChallenge, true, exampleVerifier[:42], false},
		{"129 characters", exampleChallenge, true, strings.Repeat("a", 129), false},
		{"a character outside the alphabet", exampleChallenge, true, exampleVerifier[:42] + "!", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := checkVerifier(c.challenge, c.sent, c.verifier)
			if c.ok != (err == nil) {
				t.Fatalf("got %v", err)
			}
			if !c.ok && !fault.HasReason(err, "invalid_grant") {
				t.Errorf("got %v, want invalid_grant", err)
			}
		})
	}
}
