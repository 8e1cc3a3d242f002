package bearer_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
)

// writeReason stands for a wire file.
func writeReason(w http.ResponseWriter, _ *http.Request, err error) {
	f := fault.From(err)
	w.WriteHeader(http.StatusTeapot)
	_, _ = fmt.Fprintf(w, "%v %s %s", f.Kind, f.Reason, f.Source)
}

func whoami(w http.ResponseWriter, r *http.Request) {
	caller, _ := bearer.From(r.Context())
	_, _ = fmt.Fprintf(w, "hello %s", caller.ClientID)
}

func TestRoutesLetOnlyTheRightCallersThrough(t *testing.T) {
	w := newWorld(t)
	hello := http.HandlerFunc(whoami)
	two := bearer.TwoLeggedOnly(writeReason)
	require := func(scopes ...string) bearer.Middleware { return w.auth.Require(writeReason, scopes...) }

	for name, c := range map[string]struct {
		handler http.Handler
		token   string
		want    string
	}{
		"any token":             {require()(hello), w.twoLegged, "hello client"},
		"no token":              {require()(hello), "", "unauthenticated missing_token "},
		"a wrong token":         {require()(hello), "a.b.c", "unauthenticated invalid_token "},
		"both scopes are there": {require("data:read", "data:write")(hello), w.threeLegged, "hello client"},
		"one scope is missing": {require("data:read", "data:create")(hello), w.threeLegged,
			"forbidden insufficient_scope data:read data:create"},
		"two-legged wanted":      {require()(two(hello)), w.twoLegged, "hello client"},
		"two-legged wanted, not": {require()(two(hello)), w.threeLegged, "unauthenticated two_legged_required "},
		"without Require":        {two(hello), w.twoLegged, "unauthenticated missing_token "},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/x", nil)
			if c.token != "" {
				r.Header.Set("Authorization", "Bearer "+c.token)
			}
			answer := httptest.NewRecorder()
			c.handler.ServeHTTP(answer, r)
			if got := answer.Body.String(); got != c.want {
				t.Errorf("answered %q, want %q", got, c.want)
			}
		})
	}
}
