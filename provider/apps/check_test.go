package apps_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// Rules: AUTH-2, PAGE-14
func TestARegistrationIsRefusedAtItsField(t *testing.T) {
	many := make([]string, 51)
	for i := range many {
		many[i] = "https://app.example.test/" + strings.Repeat("x", i)
	}
	tests := map[string]struct {
		change        func(*apps.Registration)
		field, reason string
	}{
		"no name": {func(r *apps.Registration) { r.Name = "" }, "name", apps.ReasonField},
		"a name of 101 characters": {func(r *apps.Registration) { r.Name = strings.Repeat("ä", 101) },
			"name", apps.ReasonField},
		"a name that nobody sees": {func(r *apps.Registration) { r.Name = "\u2800\u3164" },
			"name", apps.ReasonField},
		"a name of two lines":              {func(r *apps.Registration) { r.Name = "a\nb" }, "name", apps.ReasonField},
		"a name that turns the text round": {func(r *apps.Registration) { r.Name = "a\u202eb" }, "name", apps.ReasonField},
		"a name with spaces around it":     {func(r *apps.Registration) { r.Name = " a" }, "name", apps.ReasonField},
		"an unknown type":                  {func(r *apps.Registration) { r.Type = "desktop" }, "type", apps.ReasonField},
		"an unknown profile": {func(r *apps.Registration) { r.Profile = "strict" },
			"profile", apps.ReasonField},
		"an unknown scope": {func(r *apps.Registration) { r.Scopes = []string{"openid", "everything"} },
			"scopes", apps.ReasonScope},
		"a scope with a space": {func(r *apps.Registration) { r.Scopes = []string{"openid email"} },
			"scopes", apps.ReasonScope},
		"51 redirect URIs": {func(r *apps.Registration) { r.RedirectURIs = many },
			"redirect_uris", apps.ReasonField},
		"a redirect URI by plain http": {func(r *apps.Registration) { r.RedirectURIs[0] = "http://app.example.test" },
			"redirect_uris", redirecturi.ReasonScheme},
		"a post-logout URI with fragment": {func(r *apps.Registration) {
			r.PostLogoutRedirectURIs = []string{"https://app.example.test/#x"}
		}, "post_logout_redirect_uris", redirecturi.ReasonFragment},
		"an origin with a path": {func(r *apps.Registration) {
			r.Origins = []string{"https://app.example.test/"}
		}, "origins", redirecturi.ReasonOrigin},
		"a back-channel URI by plain http": {func(r *apps.Registration) {
			r.BackchannelLogoutURI = "http://app.example.test"
		}, "backchannel_logout_uri", outbound.ReasonAddress},
		"a back-channel URI that leads in": {func(r *apps.Registration) { r.BackchannelLogoutURI = "https://10.0.0.1/" },
			"backchannel_logout_uri", outbound.ReasonAddress},
		"a back-channel URI of a scheme": {func(r *apps.Registration) { r.BackchannelLogoutURI = "ftp://app.example.test" },
			"backchannel_logout_uri", redirecturi.ReasonScheme},
		"an spa without redirect URI": {func(r *apps.Registration) { r.Type, r.RedirectURIs = storage.ClientSPA, nil },
			"redirect_uris", apps.ReasonNeedsRedirect},
		"a native without redirect URI": {func(r *apps.Registration) { r.Type, r.RedirectURIs = storage.ClientNative, nil },
			"redirect_uris", apps.ReasonNeedsRedirect},
		"a service with redirect URI": {func(r *apps.Registration) { r.Type = storage.ClientService }, "redirect_uris",
			apps.ReasonNotForType},
	}
	h := newHouse(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			registration := webApp()
			if _, err := h.apps.Create(t.Context(), h.act(), registration); err != nil {
				t.Fatalf("the good twin: %v", err)
			}
			tt.change(&registration)
			_, err := h.apps.Create(t.Context(), h.act(), registration)
			all := fault.All(err)
			if len(all) != 1 || all[0].Kind != fault.Invalid || all[0].Source != tt.field || all[0].Reason != tt.reason {
				t.Errorf("got %v, want one %s at %s", err, tt.reason, tt.field)
			}
		})
	}
}

func TestAWebClientMayWaitWithItsRedirectURI(t *testing.T) {
	h := newHouse(t)
	h.create(t, apps.Registration{Name: "Web app", Type: storage.ClientWeb})
}

func TestEverythingWrongWithAFormIsSaidAtOnce(t *testing.T) {
	h := newHouse(t)
	_, err := h.apps.Create(t.Context(), h.byDeveloper(), apps.Registration{
		Type: storage.ClientSPA, Profile: "x", FirstParty: true,
		RedirectURIs: []string{"https://a.example.test/#", "https://ok.example.test/", "javascript:x"},
		Scopes:       []string{"nope"},
	})
	var fields []string
	for _, f := range fault.All(err) {
		fields = append(fields, f.Source)
	}
	if diff := cmp.Diff([]string{"name", "profile", "redirect_uris", "redirect_uris", "scopes", "first_party"},
		fields); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if detail := fault.All(err)[2].Detail; !strings.HasPrefix(detail,
		`The redirect URI "https://a.example.test/#" must not`) {
		t.Errorf("the address is not named: %s", detail)
	}
}

// Rule: LANG-4
func TestAPageSaysOfWhichAddressSomethingIsWrong(t *testing.T) {
	registration := webApp()
	registration.RedirectURIs = []string{"https://one.example.test/", "http://two.example.test/"}
	h := newHouse(t)
	_, err := h.apps.Create(t.Context(), h.byDeveloper(), registration)
	for language, want := range map[string]string{"en": "“http://two.example.test/” must use https",
		"de": "„http://two.example.test/“ muss https verwenden"} {
		if got := texts.New().Find(language).Say(webpage.Detail(fault.From(err))); !strings.HasPrefix(got, want) {
			t.Errorf("in %s it says %q", language, got)
		}
	}
}

// Rule: LANG-4
func TestAPageSaysInItsLanguageWhatANameMustBe(t *testing.T) {
	h, german := newHouse(t), texts.New().Find("de")
	for name, want := range map[string]string{"": "Der Name darf nicht leer sein.", "a\nb": "eine Zeile lesbaren Textes",
		strings.Repeat("x", 101): "höchstens 100 Zeichen"} {
		registration := webApp()
		registration.Name = name
		_, err := h.apps.Create(t.Context(), h.byDeveloper(), registration)
		if got := german.Say(webpage.Detail(fault.From(err))); !strings.Contains(got, want) {
			t.Errorf("of %q it says %q", name, got)
		}
	}
}

// Rule: LANG-4
func TestAPageSaysInItsLanguageWhyAKeyIsNone(t *testing.T) {
	h, german := newHouse(t), texts.New().Find("de")
	for key, want := range map[string]string{
		`{}`: "Schlüssel 1: das ist kein Schlüssel", `{"kty":"oct","k":"c2VjcmV0"}`: "Schlüssel 1: er ist geheim",
		`{"kty":"RSA","n":"` + strings.Repeat("4", 128) + `","e":"AQAB"}`: "Schlüssel 1: ein RSA-Schlüssel braucht",
	} {
		registration := webApp()
		registration.Profile = storage.ProfileStandard
		registration.AuthMethod, registration.JWKS = storage.AuthPrivateKey, `{"keys":[`+key+`]}`
		_, err := h.apps.Create(t.Context(), h.byDeveloper(), registration)
		if got := german.Say(webpage.Detail(fault.From(err))); !strings.Contains(got, want) {
			t.Errorf("of %s it says %q", key, got)
		}
	}
}

// Rule: LANG-4
func TestAPageSaysInItsLanguageHowManyMayBeNamed(t *testing.T) {
	h, german, many := newHouse(t), texts.New().Find("de"), []string{}
	for i := range 51 {
		many = append(many, fmt.Sprintf("https://a%d.example.test app openid", i))
	}
	standard := webApp()
	standard.Profile = storage.ProfileStandard
	id := h.create(t, standard).Client.ID
	for want, change := range map[string]apps.Change{"höchstens 50 Ressourcen": {ExchangeFor: &many},
		"höchstens 50 Server": {IntroducesTo: &many}} {
		_, err := h.apps.Update(t.Context(), h.act(), id, change)
		told := ""
		for _, f := range fault.All(err) {
			told += german.Say(webpage.Detail(f))
		}
		if !strings.Contains(told, want) {
			t.Errorf("it says %q", told)
		}
	}
}

// Rules: CLIENT-4, FACTOR-22
func TestOnlyAdministratorsGiveMoreThanADeveloperCan(t *testing.T) {
	h := newHouse(t)
	elevated := map[string]func(*apps.Registration){
		"first_party": func(r *apps.Registration) { r.FirstParty = true },
		"internal":    func(r *apps.Registration) { r.Internal = true },
		"scopes":      func(r *apps.Registration) { r.Scopes = []string{"account:read"} },

		"require_second_factor": func(r *apps.Registration) { r.SecondFactor = true },
	}
	for field, change := range elevated {
		t.Run(field, func(t *testing.T) {
			registration := webApp()
			change(&registration)
			_, err := h.apps.Create(t.Context(), h.byDeveloper(), registration)
			if f := fault.From(err); !fault.Is(err, fault.Forbidden) ||
				f.Reason != apps.ReasonAdministrator || f.Source != field {
				t.Errorf("a developer: %v", err)
			}
			byOperator := h.create(t, registration).Client
			registration.ByAdministrator = true
			if _, err := h.apps.Create(t.Context(), h.byDeveloper(), registration); err != nil {
				t.Errorf("an administrator: %v", err)
			}
			name := "Renamed"
			if _, err := h.apps.Update(t.Context(), h.byDeveloper(), byOperator.ID, apps.Change{Name: &name}); err != nil {
				t.Errorf("a developer may keep what an operator gave: %v", err)
			}
		})
	}
}

// Rule: CLIENT-4
func TestADeveloperCannotAddAnAdministratorsScopeLater(t *testing.T) {
	h := newHouse(t)
	id := h.create(t, webApp()).Client.ID
	scopes, yes := []string{"openid", "account:write"}, true
	if _, err := h.apps.Update(t.Context(), h.byDeveloper(), id,
		apps.Change{Scopes: &scopes}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("scope: %v", err)
	}
	if _, err := h.apps.Update(t.Context(), h.byDeveloper(), id,
		apps.Change{Internal: &yes}); !fault.Is(err, fault.Forbidden) {
		t.Errorf("flag: %v", err)
	}
	if _, err := h.apps.Update(t.Context(), h.byDeveloper(), id,
		apps.Change{Scopes: &scopes, Internal: &yes, ByAdministrator: true}); err != nil {
		t.Errorf("an administrator: %v", err)
	}
}
