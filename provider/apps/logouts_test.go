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
func TestWhatNamesMeanIsForAdministrators(t *testing.T) {
	h := newHouse(t)
	looked := 0
	inner := func(context.Context, string) ([]netip.Addr, error) {
		looked++
		return []netip.Addr{netip.MustParseAddr("10.1.2.3")}, nil
	}
	rules := apps.New(apps.Options{Store: h.store, Ambient: h.ambient,
		Outbound: outbound.New(outbound.Options{Resolve: inner})})
	register := func(act storage.Act, url string) error {
		registration := webApp()
		registration.BackchannelLogoutURI = url
		_, err := rules.Create(t.Context(), act, registration)
		if err != nil && !fault.HasReason(err, outbound.ReasonAddress) {
			t.Errorf("%s: %v", url, err)
		}
		return err
	}
	if err := register(h.byDeveloper(), "https://wiki.example/"); err != nil || looked > 0 {
		t.Errorf("a developer: %v, %d names were looked up", err, looked)
	}
	for _, own := range []string{"https://10.9.9.9/", "https://localhost/", "https://[::1]/"} {
		if register(h.byDeveloper(), own) == nil {
			t.Errorf("a developer may register %s", own)
		}
	}
	if err := register(h.act(), "https://wiki.example/"); err == nil || !strings.Contains(err.Error(), "10.1.2.3") {
		t.Errorf("the operator: %v", err)
	}
}

// Rule: OUTBOUND-7
func TestARecordOfACallTellsDevelopersNoAddressOfAName(t *testing.T) {
	const record = "The URL leads to 10.1.2.3, which this server does not call (…)."
	for url, told := range map[string]bool{"https://10.1.2.3/": true, "https://wiki.example/": false} {
		if got := outbound.Discreet(record, url); strings.Contains(got, "10.1.2.3") != told {
			t.Errorf("%s: %s", url, got)
		}
	}
	if got := outbound.Discreet("No answer came.", "https://wiki.example/"); got != "No answer came." {
		t.Errorf("another failure: %s", got)
	}
}
