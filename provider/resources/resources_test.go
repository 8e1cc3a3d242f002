package resources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/storage"
)

// Rule: RES-4
func TestAnAddressIsComparedAsItIsMeant(t *testing.T) {
	for written, key := range map[string]string{
		"https://a.example.test":            "https://a.example.test",
		"https://a.example.test/":           "https://a.example.test",
		"HTTPS://A.Example.TEST":            "https://a.example.test",
		"https://a.example.test/Path/":      "https://a.example.test/Path/",
		"https://a.example.test:8443/p?q=R": "https://a.example.test:8443/p?q=R",
		"https://a.example.test?q":          "https://a.example.test?q",
		"urn:example:Thing":                 "urn:example:Thing",
		"http://localhost:3000/mcp":         "http://localhost:3000/mcp",
	} {
		if got, err := resources.Key(written); got != key || err != nil {
			t.Errorf("%s: %q, %v, want %q", written, got, err, key)
		}
	}
	for _, written := range []string{"", "a", "/a", "//a.example.test", "https://a.example.test#",
		"https://a.example.test/#x",
		"https://u@a.example.test", "https://a.example.test/ b", "https://a.example.test/é",
		`https://a.example.test/\b`, "https:",
		"https://a.example.test/" + strings.Repeat("a", 500), "https://a.example.test/%zz"} {
		if _, err := resources.Key(written); !fault.Is(err, fault.Invalid) || !fault.HasReason(err, resources.ReasonTarget) {
			t.Errorf("%s: %v, want invalid_target", written, err)
		}
	}
}

// Rule: RES-5
func TestWhatAClientMayAskForHangsOnTheResource(t *testing.T) {
	own := []string{"openid", "email", "data:read", "data:write", "user:read"}
	gateway := resources.Resource{Resource: storage.Resource{Identifier: "https://a", Scopes: []string{"read", "data:read",
		"data:create"}}}
	ours := resources.Resource{Ours: true, Resource: storage.Resource{Scopes: []string{"data:read",
		"data:write", "user:read"}}}
	for name, c := range map[string]struct {
		target resources.Target
		may    []string
	}{
		"none":      {nil, own},
		"a gateway": {resources.Target{gateway}, []string{"openid", "email", "data:read", "read"}},
		"ours":      {resources.Target{ours}, own},
		"both":      {resources.Target{gateway, ours}, append(own[:5:5], "read")},
	} {
		if diff := cmp.Diff(c.may, c.target.MayAsk(own)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	consents := resources.Target{gateway, ours}.Consents([]string{"openid", "read", "data:read", "data:write"})
	want := []string{"openid", `read\https://a`, `data:read\https://a`, "data:read", "data:write"}
	if diff := cmp.Diff(want, consents); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
