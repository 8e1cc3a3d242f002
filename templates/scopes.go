package templates

import (
	"strings"

	"github.com/portico-id/portico/templates/texts"
)

// scopeTexts returns every known scope in plain words, as the end of the
// sentence "This app will be able to …". The scopes are those of S1 section 2.1
// and the usual ones of OpenID Connect.
func scopeTexts() map[string]texts.Text {
	return map[string]texts.Text{
		"openid":         texts.Say("scopes.openid"),
		"profile":        texts.Say("scopes.profile"),
		"email":          texts.Say("scopes.email"),
		"address":        texts.Say("scopes.address"),
		"phone":          texts.Say("scopes.phone"),
		"groups":         texts.Say("scopes.groups"),
		"offline_access": texts.Say("scopes.offline-access"),

		"user:read":         texts.Say("scopes.user.read"),
		"user:write":        texts.Say("scopes.user.write"),
		"user-profile:read": texts.Say("scopes.user-profile.read"),

		"viewables:read": texts.Say("scopes.viewables.read"),
		"data:read":      texts.Say("scopes.data.read"),
		"data:read:":     texts.Say("scopes.data.read-single"),
		"data:write":     texts.Say("scopes.data.write"),
		"data:create":    texts.Say("scopes.data.create"),
		"data:search":    texts.Say("scopes.data.search"),

		"bucket:create": texts.Say("scopes.bucket.create"),
		"bucket:read":   texts.Say("scopes.bucket.read"),
		"bucket:update": texts.Say("scopes.bucket.update"),
		"bucket:delete": texts.Say("scopes.bucket.delete"),

		"code:all":      texts.Say("scopes.code.all"),
		"account:read":  texts.Say("scopes.account.read"),
		"account:write": texts.Say("scopes.account.write"),

		"application:service_account:read":      texts.Say("scopes.application.service-account.read"),
		"application:service_account:write":     texts.Say("scopes.application.service-account.write"),
		"application:service_account_key:read":  texts.Say("scopes.application.service-account-key.read"),
		"application:service_account_key:write": texts.Say("scopes.application.service-account-key.write"),
	}
}

// ScopeText returns what a scope allows, in plain words. A scope for one thing,
// data:read:<URN>, names the thing, one of a resource that; one that nobody knows is its own
// text.
func ScopeText(scope string) texts.Text {
	if name, resource, of := strings.Cut(scope, `\`); of { // provider/scope.At
		resource, _, _ = strings.Cut(resource, "#") // which of those at this address, one after the other
		what := ScopeText(name)
		if what.Own == "" { // as at /mcp; elsewhere it says rather too much
			return texts.Say("scopes.through", "What", what, "Resource", resource)
		}
		return texts.Say("scopes.at", "Scope", name, "Resource", resource)
	}
	if text, known := scopeTexts()[scope]; known {
		return text
	}
	if urn, single := strings.CutPrefix(scope, "data:read:"); single {
		return texts.Say("scopes.data.read-one", "Name", urn)
	}
	return texts.Own(scope)
}

// ScopeLines returns a line for each scope, in the order given.
func ScopeLines(scopes []string) []ScopeLine {
	lines := make([]ScopeLine, len(scopes))
	for i, scope := range scopes {
		lines[i] = ScopeLine{Name: scope, Text: ScopeText(scope)}
	}
	return lines
}
