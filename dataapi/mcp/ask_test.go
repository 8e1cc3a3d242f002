package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
)

// askerOf asks an API for a request.
func askerOf(of *http.Request, api http.HandlerFunc) asker {
	ctx := bearer.With(httpio.With(of.Context(), &httpio.Exchange{}), bearer.Caller{ClientID: "assistant"})
	return asker{api: api, base: "https://id.example.test", of: of.WithContext(ctx)}
}

// Rule: MCP-10
func TestARequestIsOneMessageThatCanBeReadInOneWay(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_hubs"}}`
	with := func(name, instead string) string { return strings.Replace(call, `"`+name+`"`, instead, 1) }
	for body, want := range map[string]struct {
		tool string
		fits bool
	}{
		call: {"list_hubs", true}, " \n" + call: {"list_hubs", true},
		"[" + call + "]": {}, " \r\n\t[" + call + "," + call + "]": {}, "[]": {}, "[": {},
		with("name", `"name":"search","name"`):     {},
		with("method", `"method":"x","method"`):    {},
		with("name", `"name":"search","NAME"`):     {"search", true}, // another member: the protocol reads it so, too
		with("method", `"method":"x","Method"`):    {"", true},
		with("params", `"params":{},"pARAMS"`):     {"", true},
		with("params", `"_meta":{},"params"`):      {"list_hubs", true},
		with("list_hubs", `"list_hubs","other":1`): {"list_hubs", true},
	} {
		for _, version := range []string{"", "2025-03-26", "2026-07-28"} {
			r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(body))
			r.Header.Set("MCP-Protocol-Version", version)
			got, err := called(httptest.NewRecorder(), r)
			if got != want.tool || want.fits == fault.Is(err, fault.Invalid) {
				t.Errorf("%q of revision %q: %q, %v", body, version, got, err)
			}
		}
	}
}

// Rule: MCP-10
func TestWhatAToolAsksEndsWithTheRequest(t *testing.T) {
	ctx, hangUp := context.WithCancel(t.Context())
	a := askerOf(httptest.NewRequest(http.MethodPost, Path, http.NoBody).WithContext(ctx),
		func(w http.ResponseWriter, r *http.Request) {
			hangUp()
			<-r.Context().Done() // for good where it does not end
			w.WriteHeader(http.StatusServiceUnavailable)
		})
	if _, err := a.get(context.WithoutCancel(ctx), "/project/v1/hubs", nil); err == nil {
		t.Error("an answer for somebody who has hung up")
	}
}

// Rule: MCP-11
func TestAToolAsksForTheUserWhomTheAppNames(t *testing.T) {
	for _, users := range [][]string{nil, {"u1"}, {"u1", "u2"}} {
		of := httptest.NewRequest(http.MethodPost, Path, http.NoBody)
		for _, user := range users {
			of.Header.Add(access.UserHeader, user)
		}
		var got []string
		a := askerOf(of, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Values(access.UserHeader) })
		if _, err := a.get(t.Context(), "/project/v1/hubs", http.Header{"Accept": {"text/plain"}}); err != nil ||
			strings.Join(got, " ") != strings.Join(users, " ") {
			t.Errorf("%v became %v, %v", users, got, err)
		}
	}
}
