package upstreams

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Rule: FED-30
func TestACrowdAtAnUpstreamDoesNotKeepItsDocumentsFromBeingRead(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	say := func(path string, document map[string]any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(document) })
	}
	say("/.well-known/openid-configuration", map[string]any{"issuer": server.URL, "jwks_uri": server.URL + "/keys",
		"authorization_endpoint": server.URL + "/a", "token_endpoint": server.URL + "/t"})
	say("/keys", map[string]any{"keys": []any{}})
	say("/user", map[string]any{"sub": "somebody"})
	r := newRemote(ambient.System(), storage.Upstream{Kind: storage.UpstreamOIDC},
		Config{Issuer: server.URL, Networks: []string{"127.0.0.0/8"}})
	asks := func() error { return r.get(t.Context(), server.URL+"/user", plain(), &struct{}{}) }
	if err := asks(); err != nil {
		t.Fatalf("alone, somebody is told %v", err)
	}
	for range maxCalls {
		r.calls <- struct{}{}
	}
	if err := asks(); !fault.Is(err, fault.Unavailable) {
		t.Errorf("in the crowd, somebody more is told %v", err)
	}
	if _, err := r.keysFor(t.Context(), anyKey); err != nil {
		t.Errorf("in the crowd, the keys are not read: %v", err)
	}
}
