package httpio_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

func TestEveryKindHasAStatus(t *testing.T) {
	seen := map[int]fault.Kind{}
	for _, kind := range fault.Kinds() {
		got := httpio.Status(kind)
		if other, taken := seen[got]; taken {
			t.Errorf("%v and %v are both %d", kind, other, got)
		}
		seen[got] = kind
	}
}

// Rules: DPOP-5, RES-12
func TestFailuresBehindTokensSayWhatTokenIsWantedAndWhen(t *testing.T) {
	const challenge, later = "Www-Authenticate", "Retry-After"
	const bearer, proof = `Bearer realm="portico"`, `DPoP realm="portico", algs="ES256 EdDSA PS256 RS256"`
	for name, c := range map[string]struct {
		failure *fault.Error
		scheme  string
		want    http.Header
	}{
		"no token": {fault.New(fault.Unauthenticated, "missing_token", ""), "",
			http.Header{challenge: {bearer, proof}}},
		"a bad token": {fault.New(fault.Unauthenticated, "invalid_token", ""), "Bearer x",
			http.Header{challenge: {bearer + `, error="invalid_token"`, proof}}},
		"one with a proof": {fault.New(fault.Unauthenticated, "invalid_token", ""), "dpop x",
			http.Header{challenge: {proof + `, error="invalid_token"`}}},
		"a bad proof": {fault.New(fault.Unauthenticated, "invalid_dpop_proof", ""), "DPoP x",
			http.Header{challenge: {proof + `, error="invalid_dpop_proof"`}}},
		"no nonce": {fault.New(fault.Unauthenticated, "use_dpop_nonce", ""), "DPoP x",
			http.Header{challenge: {proof + `, error="use_dpop_nonce"`}}},
		"a scope is short": {fault.New(fault.Forbidden, "insufficient_scope", "").At("a b"), "Bearer x",
			http.Header{challenge: {bearer + `, error="insufficient_scope", scope="a b"`, proof}}},
		"a weak sign-in": {fault.New(fault.Unauthenticated, "insufficient_user_authentication", "").At(`max_age="60"`),
			"Bearer x", http.Header{challenge: {bearer + `, error="insufficient_user_authentication", max_age="60"`, proof}}},
		"no right": {fault.New(fault.Forbidden, "", ""), "", http.Header{}},
		"later":    {fault.New(fault.TooMany, "", "").After(1200 * time.Millisecond), "", http.Header{later: {"2"}}},
	} {
		got, r := http.Header{}, &http.Request{Header: http.Header{"Authorization": {c.scheme}}}
		httpio.SetBearerFailure(got, r, c.failure)
		c.want.Set("Cache-Control", "no-store")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	described := httpio.With(t.Context(), &httpio.Exchange{ResourceMetadata: "https://x"})
	got, r := http.Header{}, (&http.Request{Header: http.Header{}}).WithContext(described)
	httpio.Challenge(got, r, "wrong")
	want := []string{bearer + `, resource_metadata="https://x", wrong`, proof + `, resource_metadata="https://x"`}
	if diff := cmp.Diff(want, got[challenge]); diff != "" {
		t.Errorf("described (-want +got):\n%s", diff)
	}
}
