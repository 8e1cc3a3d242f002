package provider_test

import (
	"encoding/json"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// verifiedWith returns the claims of a token that a published key signed with the
// algorithm.
func (w *world) verifiedWith(algorithm string, token any) map[string]any {
	w.Helper()
	var keys jose.JSONWebKeySet
	w.must(json.Unmarshal(w.get("/authentication/v2/keys").Body, &keys))
	jws, err := jose.ParseSignedCompact(token.(string), []jose.SignatureAlgorithm{jose.SignatureAlgorithm(algorithm)})
	if err != nil {
		w.Fatalf("%s: header %v: %v", algorithm, part(w, token, 0), err)
	}
	_, err = jws.Verify(keys)
	w.must(err)
	return payload(w, token)
}

// Rules: KEY-10, IDTOKEN-1, IDTOKEN-2, TOKEN-5
func TestTokensAreSignedWithWhatTheClientIsRegisteredFor(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		_, err := w.Keys.Rotate(t.Context(), w.act(), signing.PS256, true)
		w.must(err)
		algorithms := signing.Algorithms()
		for i, access := range algorithms {
			id := algorithms[(i+1)%len(algorithms)]
			a := w.app(apps.Registration{
				ClientSecurity: storage.ClientSecurity{IDTokenAlg: id, AccessTokenAlg: access},
				Scopes:         []string{"openid", "email", "data:read"},
			})
			b := w.browser()
			body := b.tokens(a, somebody, "scope", "openid email data:read")
			claims := w.verifiedWith(id, body["id_token"])
			if claims["at_hash"] != halfFor(id, body["access_token"].(string)) || claims["aud"] != a.ID {
				t.Errorf("%s: claims %v", id, claims)
			}
			q := b.through(b.get(w.authorizeURL(a, "response_type", "code id_token", "nonce", "n")), somebody).parameters(t)
			if front := w.verifiedWith(id, q.Get("id_token")); front["c_hash"] != halfFor(id, q.Get("code")) {
				t.Errorf("%s: claims in front %v", id, front)
			}
			w.verifiedWith(access, body["access_token"])
			w.verifiedWith(access, w.granted(a, credentials("scope", "data:read"))["access_token"])
			if got := w.userInfo(body["access_token"].(string)); got.JSON(t)["email"] != somebody {
				t.Errorf("%s: user info says %s", access, got.Body)
			}
			if got := b.get(w.authorizeURL(a, "prompt", "none", "id_token_hint", body["id_token"].(string))); got.Away == nil ||
				got.Away.Query().Get("code") == "" {
				t.Errorf("%s: the ID token is no hint: %s", id, got.At)
			}
		}
	})
}

// Rule: KEY-11
func TestPlatformClientsHaveRS256Alone(t *testing.T) {
	w := newWorld(t, settings{})
	es256 := storage.ClientSecurity{IDTokenAlg: signing.ES256, AccessTokenAlg: signing.ES256}
	refused := func(what string, err error) {
		t.Helper()
		if f := fault.From(err); f.Kind != fault.Invalid || f.Reason != apps.ReasonField {
			t.Errorf("%s: %v", what, err)
		}
	}
	platform := apps.Registration{Name: "P", Type: storage.ClientService,
		Profile: storage.ProfilePlatform, ClientSecurity: es256}
	_, err := w.Apps.Create(t.Context(), w.act(), platform)
	refused("a new one", err)
	standard := w.app(apps.Registration{ClientSecurity: es256})
	_, err = w.Apps.Update(t.Context(), w.act(), standard.ID, apps.Change{Profile: new(storage.ProfilePlatform)})
	refused("one that becomes it", err)
	_, err = w.Apps.Update(t.Context(), w.act(), standard.ID,
		apps.Change{SecurityChange: apps.SecurityChange{AccessTokenAlg: new("none")}})
	refused("none", err)
	a := w.app(apps.Registration{Profile: storage.ProfilePlatform, Type: storage.ClientService,
		Scopes: []string{"data:read"}})
	w.verifiedWith(signing.RS256, w.granted(a, credentials())["access_token"])
}

// Rule: KEY-11
func TestAClientCanBeRegisteredForWhatTheKeysCan(t *testing.T) {
	standard := clientprofile.Of(storage.Client{Profile: storage.ProfileStandard}).SigningAlgorithms()
	if diff := cmp.Diff(signing.Algorithms(), standard); diff != "" {
		t.Errorf("keys (-), registration (+):\n%s", diff)
	}
}
