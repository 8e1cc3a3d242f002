package apps_test

import (
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/provider/apps"
)

// Rule: OUTBOUND-1
func TestAnAddressThatIsNotCalledIsRefusedAndAnUnknownNameIsNoted(t *testing.T) {
	h := newHouse(t)
	registration := webApp()
	registration.BackchannelLogoutURI = "https://logout.example.invalid/"
	created, err := h.apps.Create(t.Context(), h.act(), registration)
	if err != nil {
		t.Fatal(err)
	}
	if notices := h.apps.Notices(t.Context(), created.Client); len(notices) != 1 {
		t.Errorf("an unknown name: %q", notices)
	}
	within, public := "https://192.168.1.1/", "https://1.1.1.1/"
	_, err = h.apps.Update(t.Context(), h.act(), created.Client.ID, apps.Change{BackchannelLogoutURI: &within})
	if !fault.Is(err, fault.Invalid) || !fault.HasReason(err, outbound.ReasonAddress) {
		t.Errorf("a private address: %v", err)
	}
	after, err := h.apps.Update(t.Context(), h.act(), created.Client.ID, apps.Change{BackchannelLogoutURI: &public})
	if err != nil || len(h.apps.Notices(t.Context(), after)) > 0 {
		t.Errorf("a public address: %v, %q", err, h.apps.Notices(t.Context(), after))
	}
}
