package serviceaccounts_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/provider/apps"
)

// What one assertion is refused for is one line of the log, which names that
// cause and no other; the wire has the same few words for all.
// Rules: EXCHANGE-8, TOKEN-34
func TestEveryCauseOfARefusalIsLoggedByItself(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	stranger := w.signer(w.app(apps.Registration{}), "stranger")
	off, resting := w.key(s.app, s.account), w.signer(s.app, "resting")
	w.setStatus(s.app, off.account+"/keys/"+off.kid, "DISABLED")
	w.setStatus(s.app, resting.account, "DISABLED")
	used := s.sign(object{"jti": "used"})
	if got := s.exchange(used); got.Status != http.StatusOK {
		t.Fatalf("a good assertion: %d %s", got.Status, got.Body)
	}
	now := w.ambient.Now().Unix()
	for assertion, cause := range map[string]string{
		"x.y.z": "it is not a JWT signed with an algorithm that is taken here",
		s.signWith(jose.RS256, s.private, "", s.claims(nil)):                      "the header has no kid",
		s.signWith(jose.RS256, s.private, ambient.System().UUID(), s.claims(nil)): "kid names no key",
		stranger.sign(nil): "kid names a key of another client's account",
		s.signWith(jose.RS256, stranger.private, s.kid, s.claims(nil)): "the signature is not that of the key",
		off.sign(nil):                           "the key is disabled",
		resting.sign(nil):                       "the service account is not enabled",
		used:                                    "the jti was used before",
		s.sign(object{"exp": "soon"}):           "the claims are not a JSON object of the expected types",
		s.sign(object{"iss": stranger.app.ID}):  "iss is not the id of the client that presents it",
		s.sign(object{"sub": stranger.account}): "sub is not whom the key belongs to",
		s.sign(object{"aud": w.Issuer}):         "aud is not exactly the expected one",
		s.sign(object{"exp": nil}):              "exp is missing",
		s.sign(object{"exp": now - 60}):         "exp has passed",
		s.sign(object{"exp": now + 600}):        "exp is too far from now",
		s.sign(object{"iat": now + 60}):         "iat is in the future",
		s.sign(object{"nbf": now + 60}):         "nbf is in the future",
		s.sign(object{"scope": nil}):            "scope is not a list of scope names",
		s.signUnder(`{"alg":"RS256","kid":"` + s.kid + `","typ":"at+jwt"}`): "its typ says that it is for something else",
		s.sign(object{"jti": ""}): "jti is empty, too long or not text",
	} {
		t.Run(cause, func(t *testing.T) {
			before := len(w.Logged.String())
			w.refused(s.exchange(assertion), http.StatusBadRequest, "invalid_grant")
			said := w.Logged.String()[before:]
			if strings.Count(said, `msg="assertion refused"`) != 1 || !strings.Contains(said, `cause="`+cause+`"`) {
				t.Errorf("the log says %s", said)
			}
			if strings.Contains(said, "eyJ") {
				t.Error("the log holds the assertion")
			}
		})
	}
}
