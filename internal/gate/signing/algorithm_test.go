package signing_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/storage"
)

func published(t *testing.T, set *signing.KeySet) jose.JSONWebKeySet {
	t.Helper()
	var keys jose.JSONWebKeySet
	body, _ := set.KeySetDocument(t.Context())
	if err := json.Unmarshal(body, &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

// Rule: KEY-10
func TestEveryAlgorithmSignsWithKeysOfItsOwn(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	kids := map[string]string{}
	for _, algorithm := range signing.Algorithms() {
		token, err := set.SignAccess(t.Context(), algorithm, w.claims())
		if err != nil {
			t.Fatalf("%s: %v", algorithm, err)
		}
		header := headerOf(t, token)
		if other, taken := kids[header["kid"]]; taken || header["alg"] != algorithm {
			t.Errorf("%s: header %v, the key also signs with %q", algorithm, header, other)
		}
		kids[header["kid"]] = algorithm
		if _, err := set.VerifyAccess(t.Context(), token); err != nil {
			t.Errorf("%s: we refuse our own: %v", algorithm, err)
		}
		jws, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.SignatureAlgorithm(algorithm)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := jws.Verify(published(t, set)); err != nil {
			t.Errorf("%s does not verify with the published keys: %v", algorithm, err)
		}
	}
	if _, err := set.SignAccess(t.Context(), "none", w.claims()); err == nil {
		t.Error("a token was signed with none")
	}
}

// Rules: KEY-10, TOKEN-8
func TestAKeySignsWithItsOwnAlgorithmAlone(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	payload := `{"iss":"` + issuer + `","sub":"USER","aud":"` + audience +
		`","client_id":"client","exp":4000000000,"jti":"j","scope":""}`
	pss := jose.JSONWebKey{Key: rsaKey(t, keyPS256PEM), KeyID: "first-ps256"}
	if _, err := set.VerifyAccess(t.Context(), forge(t, jose.PS256, pss, "at+jwt", payload)); err != nil {
		t.Fatalf("with its own: %v", err)
	}
	for _, other := range []jose.SignatureAlgorithm{jose.RS256, jose.PS512} {
		if _, err := set.VerifyAccess(t.Context(), forge(t, other, pss, "at+jwt", payload)); !isInvalidToken(err) {
			t.Errorf("a key for PS256 with %s: %v", other, err)
		}
	}
}

// Rule: KEY-1
func TestPublishedKeysOfEveryAlgorithmHaveTheirPublicMembers(t *testing.T) {
	w := newWorld(t)
	body, _ := w.open().KeySetDocument(t.Context())
	var document struct {
		Keys []map[string]string `json:"keys"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, key := range document.Keys {
		for name := range key {
			got[key["alg"]] = append(got[key["alg"]], name)
		}
		slices.Sort(got[key["alg"]])
	}
	want := map[string][]string{
		"RS256": {"alg", "e", "kid", "kty", "n", "use"}, "PS256": {"alg", "e", "kid", "kty", "n", "use"},
		"ES256": {"alg", "crv", "kid", "kty", "use", "x", "y"}, "EdDSA": {"alg", "crv", "kid", "kty", "use", "x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

// Rules: KEY-9, KEY-10
func TestAnAlgorithmThatIsNewHereSignsAsSoonAsItHasAKey(t *testing.T) {
	w := newOldWorld(t)
	set := w.open()
	if _, err := set.SignAccess(t.Context(), signing.ES256, w.claims()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("before there is a key: %v, want unavailable", err)
	}
	maintain(t, set)
	if keys := published(t, set); len(keys.Keys) != 8 {
		t.Errorf("%d keys are published, want two for each algorithm", len(keys.Keys))
	}
	token, err := set.SignAccess(t.Context(), signing.ES256, w.claims())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.VerifyAccess(t.Context(), token); err != nil {
		t.Error(err)
	}
}

// Rule: KEY-10
func TestAFirstStartHasKeysForTheAlgorithmsThatCostLittle(t *testing.T) {
	source, clock := ambient.Fixed(start, 1)
	w := &world{tb: t, store: newStore(t), source: source, clock: clock}
	set := w.open()
	for algorithm, signs := range map[string]bool{"RS256": true, "ES256": true, "EdDSA": true, "PS256": false} {
		if _, err := set.SignAccess(t.Context(), algorithm, w.claims()); (err == nil) != signs {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
	maintain(t, set)
	if _, err := set.SignAccess(t.Context(), signing.PS256, w.claims()); err != nil {
		t.Errorf("PS256 when it was looked after: %v", err)
	}
}

// Rule: KEY-10
func TestAKeyOfAnAlgorithmThatANewerReleaseHasHurtsNobody(t *testing.T) {
	w := newWorld(t)
	newer := storage.SigningKey{Algorithm: "ML-DSA-44", Generation: 1, KID: "newer", Public: []byte("?"),
		Sealed: []byte("?"), CreatedAt: start, ActiveFrom: start}
	if err := w.store.AddSigningKey(t.Context(), w.act(), newer); err != nil {
		t.Fatal(err)
	}
	set := w.open()
	maintain(t, set)
	for _, algorithm := range signing.Algorithms() {
		if _, err := set.SignAccess(t.Context(), algorithm, w.claims()); err != nil {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
}

// Rules: KEY-7, KEY-10
func TestEachAlgorithmRotatesByItself(t *testing.T) {
	w := newWorld(t)
	set := w.open()
	maintain(t, set)
	kid := func(algorithm string) string {
		t.Helper()
		token, err := set.SignAccess(t.Context(), algorithm, w.claims())
		if err != nil {
			t.Fatal(err)
		}
		return headerOf(t, token)["kid"]
	}
	before := map[string]string{}
	for _, algorithm := range signing.Algorithms() {
		before[algorithm] = kid(algorithm)
	}
	w.clock.Advance(signing.KeptFor)
	if _, err := set.Rotate(t.Context(), w.act(), signing.EdDSA, false); err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range signing.Algorithms() {
		if moved := kid(algorithm) != before[algorithm]; moved != (algorithm == signing.EdDSA) {
			t.Errorf("%s moved: %v", algorithm, moved)
		}
	}
	if _, err := set.Rotate(t.Context(), w.act(), "HS256", true); !fault.HasReason(err, signing.ReasonAlgorithm) {
		t.Errorf("an algorithm that is none of ours: %v", err)
	}
}
