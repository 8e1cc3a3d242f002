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

func TestFailuresBehindTokensSayWhatTokenIsWantedAndWhen(t *testing.T) {
	const challenge, later = "Www-Authenticate", "Retry-After"
	for name, c := range map[string]struct {
		failure *fault.Error
		want    http.Header
	}{
		"no token":         {fault.New(fault.Unauthenticated, "missing_token", ""), http.Header{challenge: {`Bearer realm="portico"`}}},
		"a bad token":      {fault.New(fault.Unauthenticated, "invalid_token", ""), http.Header{challenge: {`Bearer realm="portico", error="invalid_token"`}}},
		"a scope is short": {fault.New(fault.Forbidden, "insufficient_scope", "").At("a b"), http.Header{challenge: {`Bearer realm="portico", error="insufficient_scope", scope="a b"`}}},
		"no right":         {fault.New(fault.Forbidden, "", ""), http.Header{}},
		"later":            {fault.New(fault.TooMany, "", "").After(1200 * time.Millisecond), http.Header{later: {"2"}}},
	} {
		got := http.Header{}
		httpio.SetBearerFailure(got, c.failure)
		c.want.Set("Cache-Control", "no-store")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
