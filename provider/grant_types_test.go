package provider

import (
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Rule: CLIENT-1
func TestTheTypeSetsGrants(t *testing.T) {
	const person, itself, idToken = "authorization_code refresh_token", "client_credentials", "implicit"
	openID := []string{"data:read", "openid"}
	for _, tt := range []struct {
		client storage.Client
		want   string
	}{
		{storage.Client{Type: storage.ClientWeb}, person + " " + itself},
		{storage.Client{Type: storage.ClientWeb, Scopes: openID}, person + " " + itself + " " + idToken},
		{storage.Client{Type: storage.ClientService}, itself + " urn:ietf:params:oauth:grant-type:jwt-bearer"},
		{storage.Client{Type: storage.ClientService, Scopes: openID},
			itself + " urn:ietf:params:oauth:grant-type:jwt-bearer"},
		{storage.Client{Type: storage.ClientNative}, person},
		{storage.Client{Type: storage.ClientNative, Scopes: openID}, person + " " + idToken},
		{storage.Client{Type: storage.ClientSPA}, person},
		{storage.Client{Type: "other", Scopes: openID}, ""},
	} {
		if got := strings.Join(GrantTypes(tt.client), " "); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.client.Type, tt.client.Scopes, got, tt.want)
		}
	}
}

// Rules: TOKEN-14, TOKEN-17
func TestEveryGrantIsHeldToItsRow(t *testing.T) {
	types := []storage.ClientType{storage.ClientWeb, storage.ClientService, storage.ClientNative, storage.ClientSPA}
	for _, g := range grantTypes {
		for _, kind := range types {
			c, form := newClient(storage.Client{Type: kind, Scopes: []string{"openid"}}), url.Values{}
			for _, name := range slices.Concat(g.required, g.strictly) {
				if err := g.check(c, form); err == nil {
					t.Errorf("%s, %s: passes without %s", g.name, kind, name)
				}
				form.Set(name, "x")
			}
			may := slices.Contains(GrantTypes(c.Client), g.name)
			if err := g.check(c, form); may != (err == nil) || g.secretOnly &&
				c.Public() != fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%s, %s: may use it: %v, is told %v", g.name, kind, may, err)
			}
		}
	}
}

// Rule: DISC-7
func TestEveryGrantOfTheTokenEndpointIsDescribed(t *testing.T) {
	text, err := os.ReadFile("../docs/openapi/auth.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct {
			Schemas map[string]struct {
				AllOf []struct {
					Required   []string
					Properties map[string]struct{ Enum []string }
				} `yaml:"allOf"`
			}
		}
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	described, performed := map[string][]string{}, map[string][]string{}
	for _, schema := range document.Components.Schemas {
		for _, part := range schema.AllOf {
			for _, name := range part.Properties["grant_type"].Enum {
				described[name] = part.Required
			}
		}
	}
	for _, g := range grantTypes {
		if g.handlers != nil {
			performed[g.name] = append([]string{"grant_type"}, g.required...)
		}
	}
	if diff := cmp.Diff(performed, described); diff != "" {
		t.Errorf("docs/openapi/auth.yaml: -want +got:\n%s", diff)
	}
}
