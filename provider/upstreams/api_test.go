package upstreams

import (
	"maps"
	"testing"

	"github.com/portico-id/portico/internal/httpio"
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
