package app

import (
	"net/http"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/harness/prooftest"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// token is one of an app by itself, bound so.
func token(t *testing.T, a *App, clientID string, bound *signing.Bound) string {
	t.Helper()
	now := a.parts.Ambient.Now()
	text, err := a.parts.keys.SignAccess(t.Context(), "", signing.AccessClaims{
		Subject: clientID, ClientID: clientID, JTI: a.parts.Ambient.Token(), Scope: "data:read",
		IssuedAt: now.Unix(), ExpiresAt: now.Add(time.Hour).Unix(), Bound: bound,
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Every operation that says 401 to who brings no token is asked with one that is bound
// to a key: without a proof, with one, and with the same again.
//
// Rule: DPOP-5
func TestNoRouteTakesABoundTokenWithoutItsProof(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	made, err := a.parts.Apps().Create(t.Context(), storage.Act{At: a.parts.Ambient.Now()}, apps.Registration{
		Name: "App", Type: storage.ClientService, Profile: storage.ProfileStandard,
		Scopes: []string{"data:read"}, ByAdministrator: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	key := prooftest.New(t, a.parts.Ambient, jose.ES256)
	free := token(t, a, made.Client.ID, nil)
	bound := token(t, a, made.Client.ID, &signing.Bound{Key: key.Thumbprint()})
	walked := 0
	for _, area := range a.areas() {
		for _, r := range area.Routes {
			for method := range r.Methods {
				path := variable.ReplaceAllString(area.Prefix+r.Template, "x")
				url := "http://" + a.Addr() + path
				status := func(header ...string) int {
					got, _ := answer(t, method, url, header...)
					return got.StatusCode
				}
				want := status("Authorization", "Bearer "+free)
				if status() != http.StatusUnauthorized || want == http.StatusUnauthorized && path != "/userinfo" {
					continue // no token is asked for, or not this one
				}
				walked++
				proof := key.For(bound, method, a.URL()+path)
				for name, c := range map[string]struct {
					want   int
					header []string
				}{
					"as a bearer token": {401, []string{"Authorization", "Bearer " + bound}},
					"bare":              {401, []string{"Authorization", bound}},
					"no proof":          {401, []string{"Authorization", "DPoP " + bound}},
					"bearer with a proof": {401, []string{"Authorization", "Bearer " + bound, "DPoP",
						key.For(bound, method, a.URL()+path)}},
					"of another path": {401, []string{"Authorization", "DPoP " + bound, "DPoP",
						key.For(bound, method, a.URL()+path+"x")}},
					"of the host asked at": {401, []string{"Authorization", "DPoP " + bound, "DPoP", key.For(bound, method, url)}},
				} {
					if got := status(c.header...); got != c.want {
						t.Errorf("%s %s, %s: %d", method, path, name, got)
					}
				}
				if got := status("Authorization", "DPoP "+bound, "DPoP", proof); got != want {
					t.Errorf("%s %s with a proof: %d, a free token %d", method, path, got, want)
				}
				if got := status("Authorization", "DPoP "+bound, "DPoP", proof); got != 401 {
					t.Errorf("%s %s with a proof again: %d", method, path, got)
				}
			}
		}
	}
	if walked < 150 {
		t.Errorf("%d operations were asked", walked)
	}
}
