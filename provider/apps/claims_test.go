package apps_test

import (
	"testing"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
)

// With names that could be had once an app kept its claims, and none of them could be taken away or added.
//
// Rule: ACCESS-11
func TestClaimsOfNamesThatCouldBeHadOnceStayAndGoOneByOne(t *testing.T) {
	h := newHouse(t)
	const fixed = clientprofile.SourceFixed
	client := h.create(t, webApp()).Client
	client.OwnClaims = clientprofile.Claims{{Name: "token_use", Source: fixed, Value: "id"},
		{Name: "userid", Source: fixed, Value: "x"}}.Text()
	if err := h.store.UpdateClient(t.Context(), h.act(), client); err != nil {
		t.Fatal(err)
	}
	add := func(claim apps.ClaimJSON) error {
		return h.apps.AddClaim(t.Context(), h.act(), h.find(t, client.ID), claim)
	}
	if err := add(apps.ClaimJSON{Name: "tenant", Source: fixed, Value: "x"}); err != nil {
		t.Errorf("another one beside them: %v", err)
	}
	for _, name := range []string{"token_use", "userid"} {
		err := h.apps.DeleteClaim(t.Context(), h.act(), h.find(t, client.ID),
			func(claim apps.ClaimJSON) bool { return claim.Name == name })
		if err != nil {
			t.Errorf("without %s: %v", name, err)
		}
	}
	if err := add(apps.ClaimJSON{Name: "userid", Source: fixed, Value: "x"}); err == nil {
		t.Error("what is gone can be had again")
	}
}
