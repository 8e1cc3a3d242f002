package apps_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/clientprofile"
)

// Rule: ACCESS-7
func TestTheOperatorsMarkEndsWhenSomebodyElseChangesWhatItWasGivenFor(t *testing.T) {
	h := newHouse(t)
	for name, c := range map[string]struct {
		change apps.Change
		stays  bool
	}{
		"another name":         {apps.Change{Name: new("Bank")}, false},
		"another redirect URI": {apps.Change{RedirectURIs: new([]string{"https://other.example.test/cb"})}, false},
		"one redirect URI more": {apps.Change{RedirectURIs: new([]string{"https://app.example.test/cb",
			"https://other.example.test/cb"})}, false},
		"one scope more":         {apps.Change{Scopes: new([]string{"openid", "data:write"})}, false},
		"fewer scopes":           {apps.Change{Scopes: new([]string{})}, true},
		"another privacy policy": {apps.Change{PolicyURI: new("https://app.example.test/privacy")}, false},
		"other terms":            {apps.Change{TermsURI: new("https://app.example.test/terms")}, false},
		"another logo":           {apps.Change{LogoURI: new("https://app.example.test/logo.png")}, false},
		"another way out": {apps.Change{
			PostLogoutRedirectURIs: new([]string{"https://app.example.test/out"})}, true},
		"a mark of its own": {apps.Change{Name: new("Bank"), Vouched: new(true)}, false},
	} {
		marked := webApp()
		marked.Vouched, marked.Scopes = true, []string{"openid"}
		created := h.create(t, marked)
		if _, err := h.apps.Update(t.Context(), h.act(), created.Client.ID,
			apps.Change{Name: new("Web app 2")}); err != nil || !h.find(t, created.Client.ID).Vouched {
			t.Fatalf("%s: the operator's own change: %v", name, err)
		}
		c.change.SecurityChange = apps.SecurityChange{}
		if _, err := h.apps.Update(t.Context(), h.byDeveloper(), created.Client.ID, c.change); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := h.find(t, created.Client.ID).Vouched; got != c.stays {
			t.Errorf("%s: marked %v", name, got)
		}
	}
}

// Rules: ACCESS-7, PORTAL-27
func TestTheOperatorsPictureKeepsTheOperatorsMark(t *testing.T) {
	h := newHouse(t)
	marked := webApp()
	marked.Vouched = true
	id := h.create(t, marked).Client.ID
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewNRGBA(image.Rect(0, 0, 100, 100))); err != nil {
		t.Fatal(err)
	}
	if err := h.apps.GiveLogo(t.Context(), h.act(), id, file.Bytes()); err != nil || !h.find(t, id).Vouched {
		t.Errorf("the operator's own: marked %v, %v", h.find(t, id).Vouched, err)
	}
	if err := h.apps.SetLogo(t.Context(), h.byDeveloper(), id, file.Bytes()); err != nil || h.find(t, id).Vouched {
		t.Errorf("the developer's: marked %v, %v", h.find(t, id).Vouched, err)
	}
}

// Rule: CLIENT-4
func TestAFirstPartyAppThatSomebodyElseChangesIsOneOfMany(t *testing.T) {
	h := newHouse(t)
	for name, c := range map[string]struct {
		change apps.Change
		stays  bool
	}{
		"another redirect URI": {apps.Change{RedirectURIs: new([]string{"https://other.example.test/cb"})}, false},
		"one scope more":       {apps.Change{Scopes: new([]string{"openid", "data:write"})}, false},
		"the flag beside it":   {apps.Change{Scopes: new([]string{"openid", "data:write"}), FirstParty: new(true)}, false},
		"fewer scopes":         {apps.Change{Scopes: new([]string{})}, true},
		"another name":         {apps.Change{Name: new("Bank")}, true},
	} {
		ours := webApp()
		ours.FirstParty, ours.Scopes, ours.ByAdministrator = true, []string{"openid"}, true
		created := h.create(t, ours)
		if _, err := h.apps.Update(t.Context(), h.byDeveloper(), created.Client.ID, c.change); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := h.find(t, created.Client.ID).FirstParty; got != c.stays {
			t.Errorf("%s: first-party %v", name, got)
		}
	}
}

// Rules: ACCESS-4, ACCESS-7, ACCESS-10
func TestADeveloperGivesNoMarkNoListAndNoClaims(t *testing.T) {
	h := newHouse(t)
	id := h.create(t, webApp()).Client.ID
	for field, change := range map[string]apps.Change{
		apps.FieldVouched: {Vouched: new(true)}, apps.FieldRestricted: {Restricted: new(true)},
		clientprofile.FieldClaims: {OwnClaims: &clientprofile.Claims{{Name: "tenant",
			Source: clientprofile.SourceFixed, Value: "x"}}},
	} {
		_, err := h.apps.Update(t.Context(), h.byDeveloper(), id, change)
		if f := fault.From(err); f == nil || f.Source != field || f.Reason != apps.ReasonAdministrator {
			t.Errorf("%s: %v", field, err)
		}
		change.ByAdministrator = true
		if _, err := h.apps.Update(t.Context(), h.byDeveloper(), id, change); err != nil {
			t.Errorf("%s, by an administrator: %v", field, err)
		}
	}
}

// Rule: ACCESS-9
func TestOnlyAnAdministratorCallsAnAppLikeTheServer(t *testing.T) {
	h := newHouse(t)
	rules := apps.New(apps.Options{Store: h.store, Ambient: h.ambient,
		Names: func() []string { return []string{"Portico", "Acme"} }})
	named := webApp()
	named.Name = "Асme sign-in" // the first two letters are Cyrillic
	_, err := rules.Create(t.Context(), h.byDeveloper(), named)
	if f := fault.From(err); f == nil || f.Reason != apps.ReasonPoses || f.Source != apps.FieldName {
		t.Errorf("when it is registered: %v", err)
	}
	created, err := rules.Create(t.Context(), h.byDeveloper(), webApp())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rules.Update(t.Context(), h.byDeveloper(), created.Client.ID,
		apps.Change{Name: &named.Name}); !fault.HasReason(err, apps.ReasonPoses) {
		t.Errorf("later: %v", err)
	}
	if _, err := rules.Update(t.Context(), h.byDeveloper(), created.Client.ID,
		apps.Change{Name: &named.Name, ByAdministrator: true}); err != nil {
		t.Errorf("by an administrator: %v", err)
	}
	if _, err := rules.Update(t.Context(), h.byDeveloper(), created.Client.ID,
		apps.Change{PolicyURI: new("https://a.example.test/")}); err != nil {
		t.Errorf("the name that it has already stands in the way: %v", err)
	}
}

// Rule: ACCESS-5
func TestOnlyWhatAnAppAsksForCanBeOptional(t *testing.T) {
	h := newHouse(t)
	app := webApp()
	app.Scopes, app.OptionalScopes = []string{"openid", "email", "data:read"}, []string{"email", "data:read"}
	id := h.create(t, app).Client.ID
	for _, optional := range []string{"openid", "profile", "none:such"} {
		if _, err := h.apps.Update(t.Context(), h.act(), id,
			apps.Change{OptionalScopes: &[]string{optional}}); fault.From(err) == nil ||
			fault.From(err).Source != apps.FieldOptional {
			t.Errorf("%s: %v", optional, err)
		}
	}
	after, err := h.apps.Update(t.Context(), h.act(), id, apps.Change{Scopes: &[]string{"openid", "email"}})
	if err != nil || len(after.OptionalScopes) != 1 {
		t.Errorf("with a scope less: %v, %v", after.OptionalScopes, err)
	}
}
