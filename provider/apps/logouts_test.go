package apps_test

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
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

// Rule: OUTBOUND-7
func TestWhereANameLeadsIsForAdministrators(t *testing.T) {
	h := newHouse(t)
	inner := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.1.2.3")}, nil
	}
	rules := apps.New(apps.Options{Store: h.store, Ambient: h.ambient, Outbound: outbound.New(outbound.Options{Resolve: inner})})
	told := func(act storage.Act, url string) string {
		registration := webApp()
		registration.BackchannelLogoutURI = url
		_, err := rules.Create(t.Context(), act, registration)
		if !fault.HasReason(err, outbound.ReasonAddress) {
			t.Errorf("%s: %v", url, err)
		}
		return err.Error()
	}
	if text := told(h.act(), "https://wiki.example/"); !strings.Contains(text, "10.1.2.3") {
		t.Errorf("the operator: %s", text)
	}
	if text := told(h.byDeveloper(), "https://wiki.example/"); strings.Contains(text, "10.1.2.3") {
		t.Errorf("a developer: %s", text)
	}
	if text := told(h.byDeveloper(), "https://10.9.9.9/"); !strings.Contains(text, "10.9.9.9") {
		t.Errorf("a developer, of the address that they gave: %s", text)
	}
}
