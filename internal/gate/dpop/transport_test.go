package dpop

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/sealing"
)

// Rule: DPOP-12
func TestAClientOfOursProvesEachOfItsRequests(t *testing.T) {
	source := ambient.System()
	ring, err := sealing.New(bytes.Repeat([]byte("s"), 32), nil, source)
	if err != nil {
		t.Fatal(err)
	}
	var p *Proofs
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Telling(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			token, bound := strings.CutPrefix(r.Header.Get("Authorization"), "DPoP ")
			if !bound && r.Header.Get("Authorization") == "Basic YTpi" {
				token = ""
			}
			if _, err := p.Judge(r, token); err != nil {
				http.Error(w, err.Error(), http.StatusUnauthorized)
				return
			}
			_, _ = io.Copy(w, r.Body)
		})).ServeHTTP(w, r)
	}))
	defer server.Close()
	if p, err = New(Options{Bases: []string{server.URL}, Ring: ring, Ambient: source, Nonces: true}); err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), source.Random())
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &Transport{Key: key, Ambient: source, TokenURL: server.URL + "/token",
		Next: http.DefaultTransport}}
	for path, c := range map[string]struct {
		bearer string
		want   int
	}{"/token": {"Basic YTpi", 200}, "/data?page=1": {"Bearer a.b.c", 200}, "/open": {"", 401}} {
		r, err := http.NewRequest(http.MethodPost, server.URL+path, strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		if c.bearer != "" {
			r.Header.Set("Authorization", c.bearer)
		}
		got, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(got.Body)
		_ = got.Body.Close()
		if got.StatusCode != c.want || c.want == 200 && string(body) != "body" {
			t.Errorf("%s: %d %s", path, got.StatusCode, body)
		}
	}
}
