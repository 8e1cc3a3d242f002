package signing_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
)

// Rule: TOKEN-5
func TestAccessTokenCarriesTheDecidedHeaderAndClaimsInOrder(t *testing.T) {
	w := newWorld(t)
	claims := w.claims()
	claims.JTI = "jti-1"
	token, err := w.open().SignAccess(t.Context(), "", claims)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"alg": "RS256", "kid": firstKID, "typ": "at+jwt"}
	if diff := cmp.Diff(want, headerOf(t, token)); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	payload, _ := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	const wantPayload = `{"iss":"https://id.example.test","sub":"USER","aud":"https://api.example.test",` +
		`"client_id":"client","iat":1893553445,"exp":1893557045,"jti":"jti-1","scope":"openid data:read",` +
		`"userid":"USER","gid":"grant"}`
	if diff := cmp.Diff(wantPayload, string(payload)); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

// Rule: TOKEN-6
func TestTwoLeggedTokenHasNeitherUserNorGrant(t *testing.T) {
	w := newWorld(t)
	claims := w.claims()
	claims.UserID, claims.GrantID = "", ""
	token, err := w.open().SignAccess(t.Context(), "", claims)
	if err != nil {
		t.Fatal(err)
	}
	var payload map[string]any
	decode(t, token, 1, &payload)
	for _, absent := range []string{"userid", "gid"} {
		if _, ok := payload[absent]; ok {
			t.Errorf("%s is there: %v", absent, payload)
		}
	}
}

func TestTheTypeOfATokenIsInItsHeader(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	id, err := set.SignID(t.Context(), "", map[string]any{"sub": "USER"})
	if err != nil {
		t.Fatal(err)
	}
	logout, err := set.SignLogout(t.Context(), "", map[string]any{"sub": "USER"})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := headerOf(t, id)["typ"], headerOf(t, logout)["typ"]; a != "JWT" || b != "logout+jwt" {
		t.Errorf("typ of an ID token %q, of a logout token %q", a, b)
	}
}

// Rule: TOKEN-5
func TestTokensVerifyWithThePublishedKeysAlone(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	token := w.access(set)

	body, etag := set.KeySetDocument(t.Context())
	if len(etag) < 10 || etag[0] != '"' || etag[len(etag)-1] != '"' {
		t.Errorf("entity tag %s", etag)
	}
	var published jose.JSONWebKeySet
	if err := json.Unmarshal(body, &published); err != nil {
		t.Fatal(err)
	}
	jws, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jws.Verify(published); err != nil {
		t.Errorf("the token does not verify with the published keys: %v", err)
	}
}

// Rule: KEY-1
func TestPublishedKeysHaveExactlyTheirPublicMembers(t *testing.T) {
	w := newWorld(t)
	body, _ := w.open().KeySetDocument(t.Context())
	var document struct {
		Keys []map[string]string `json:"keys"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatal(err)
	}
	key := document.Keys[0]
	want := map[string]string{
		"kid": firstKID, "kty": "RSA", "use": "sig", "alg": "RS256", "n": key["n"], "e": "AQAB",
	}
	if diff := cmp.Diff(want, key); diff != "" || len(key["n"]) != 342 {
		t.Errorf("key (-want +got):\n%s", diff)
	}
}

func TestSigningGivesUpWithItsContext(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	release := set.OccupySigning()
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := set.SignAccess(ctx, "", w.claims()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("SignAccess = %v, want Unavailable", err)
	}
}
