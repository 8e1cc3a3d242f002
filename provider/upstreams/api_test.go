package upstreams

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Rule: ADMIN-4
func TestNumbersAndListsOfProgramsAreThoseOfForms(t *testing.T) {
	var said settingsJSON
	err := httpio.DecodeJSON([]byte(`{"name":"Works","position":12000000,"domains":["a.example","b.example"],
		"exclusive":true,"config":{"scopes":["open\\id","\"mail\""],"mfa_acrs":[]}}`), &said)
	want := Change{"name": "Works", "position": "12000000", "domains": "a.example,b.example", "exclusive": "true",
		"scopes": `open\id,"mail"`, "mfa_acrs": ""}
	if got := said.change(); err != nil || !maps.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// Rule: FED-22
func TestAFormCallsNothingOptionalThatAnUpstreamCannotBeWithout(t *testing.T) {
	config := Config{Issuer: "https://id.example", ClientID: "portico", TeamID: "team", KeyID: "key"}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{storage.UpstreamOIDC, storage.UpstreamGitHub, storage.UpstreamApple} {
		form := editForm(storage.Upstream{Kind: kind, Name: "Works", Config: string(text)})
		for _, input := range form.Inputs {
			without := config
			_ = without.set(input.Name, "")
			needed := input.Name == "name" || without.check(kind) != nil
			if needed != input.Required {
				t.Errorf("of %s %s is needed: %v, and said to be: %v", kind, input.Name, needed, input.Required)
			}
		}
	}
}
