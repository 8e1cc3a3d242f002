package templates_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Rule: PAGE-4
func TestStableIDsAreOnTheirPages(t *testing.T) {
	pages := newPages(t)
	ids := map[string][]string{
		"login":        {"login-form", "username", "password", "login-submit"},
		"login-error":  {"login-form", "username", "password", "login-submit", "login-error"},
		"consent":      {"consent-form", "consent-allow", "consent-deny"},
		"device":       {"device-form", "user_code", "device-submit"},
		"barred":       {"barred-form", "switch", "barred-back"},
		"error":        {"error-page"},
		"form-post":    {"form-post", "form-post-submit"},
		"sign-out":     {"signout-form", "signout-confirm"},
		"signed-out":   {"leave", "stay"},
		"home":         {"signout-form", "signout"},
		"error-plain":  {"error-page"},
		"login-notice": {"login-form"},
	}
	for _, s := range samples() {
		for _, id := range ids[s.name] {
			byID(t, parse(t, rendered(t, pages, s, templates.Frame{})), id)
		}
	}
}

func TestSignInFieldsSayWhatBelongsInThem(t *testing.T) {
	root := parse(t, rendered(t, newPages(t), sample{"login", login(templates.LoginPage{})}, templates.Frame{}))
	for id, want := range map[string]string{"username": "username webauthn", "password": "current-password"} {
		if got := attribute(byID(t, root, id), "autocomplete"); got != want {
			t.Errorf("%s has autocomplete=%q, want %q", id, got, want)
		}
	}
	if got := attribute(byID(t, root, "username"), "aria-invalid"); got != "" {
		t.Errorf("a fresh form has aria-invalid=%q", got)
	}
}

// Whoever has passkeys alone has no app that could be at hand.
//
// Rule: FACTOR-17
func TestWhoHasPasskeysAloneReadsOfNoAppWhereRecoveryCodesAreTold(t *testing.T) {
	english := texts.New().English()
	asked := rendered(t, newPages(t), sample{"code", code(templates.CodePage{})}, templates.Frame{})
	_, form, _ := strings.Cut(asked, "<h1>")
	for _, said := range []string{form, english.Say(texts.Say("security.codes-lead")),
		english.Say(texts.Say("security.codes-left", "Count", 9))} {
		if strings.Contains(said, " app ") {
			t.Errorf("it says: %s", said)
		}
	}
}

func TestFailedSignInKeepsTheUserNameMarksTheFieldsAndTakesTheFocus(t *testing.T) {
	failed := login(templates.LoginPage{Username: "user@example.test", Error: texts.Own("Try again.")})
	root := parse(t, rendered(t, newPages(t), sample{"login", failed}, templates.Frame{}))
	for _, id := range []string{"username", "password"} {
		field := byID(t, root, id)
		if attribute(field, "aria-invalid") != "true" || attribute(field, "aria-describedby") != "login-error" {
			t.Errorf("%s is not marked", id)
		}
	}
	if got := attribute(byID(t, root, "username"), "value"); got != "user@example.test" {
		t.Errorf("the user name became %q", got)
	}
	if attribute(byID(t, root, "password"), "value") != "" {
		t.Error("the password is on the page")
	}
	var focused []string
	for _, n := range elements(root, "") {
		for _, a := range n.Attr {
			if a.Key == "autofocus" {
				focused = append(focused, attribute(n, "id"))
			}
		}
	}
	if diff := cmp.Diff([]string{"login-error"}, focused); diff != "" {
		t.Errorf("focus -want +got:\n%s", diff)
	}
}

func TestConsentChoicesAreTwoButtonsOfOneName(t *testing.T) {
	root := parse(t, rendered(t, newPages(t), sample{"consent", consent(nil, nil, time.Time{})}, templates.Frame{}))
	for id, want := range map[string]string{"consent-allow": "allow", "consent-deny": "deny"} {
		button := byID(t, root, id)
		if attribute(button, "name") != "decision" || attribute(button, "value") != want {
			t.Errorf("%s sends %s=%s", id, attribute(button, "name"), attribute(button, "value"))
		}
	}
}

func TestEveryScopeHasPlainWords(t *testing.T) {
	for _, scope := range []string{
		"user:read", "user:write", "user-profile:read", "viewables:read", "data:read", "data:read:", "data:write",
		"data:create", "data:search", "bucket:create", "bucket:read", "bucket:update", "bucket:delete", "code:all",
		"account:read", "account:write", "openid",
		"application:service_account:read", "application:service_account:write",
		"application:service_account_key:read", "application:service_account_key:write",
		"profile", "email", "address", "phone", "groups", "offline_access",
	} {
		if text := templates.ScopeText(scope); text.Own == scope || text.Empty() {
			t.Errorf("%s has no words", scope)
		}
	}
}

func TestScopeForOneThingNamesItAndAnUnknownScopeIsItself(t *testing.T) {
	got := templates.ScopeLines([]string{"data:read:urn:portico:item:1", "custom.scope", `data:read\https://a.test/mcp#2`,
		`orders:read\https://a.test/orders`})
	want := []templates.ScopeLine{
		{Name: "data:read:urn:portico:item:1", Text: texts.Say("scopes.data.read-one", "Name", "urn:portico:item:1")},
		{Name: "custom.scope", Text: texts.Own("custom.scope")},
		{Name: `data:read\https://a.test/mcp#2`, Text: texts.Say("scopes.through", "What", texts.Say("scopes.data.read"),
			"Resource", "https://a.test/mcp")},
		{Name: `orders:read\https://a.test/orders`, Text: texts.Say("scopes.at", "Scope", "orders:read", "Resource",
			"https://a.test/orders")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
