package templates

import (
	"strings"

	"github.com/portico-id/portico/templates/texts"
)

// scopeTexts returns every known scope in plain words, as the end of the
// sentence "This app will be able to …". The scopes are those of S1 section 2.1
// and the usual ones of OpenID Connect.
func scopeTexts() map[string]string {
	return map[string]string{
		"openid":         "Know who you are",
		"profile":        "See your name, picture and other profile details",
		"email":          "See your e-mail address",
		"address":        "See your postal address",
		"phone":          "See your phone number",
		"groups":         "See the groups you belong to",
		"offline_access": "Stay connected while you are away",

		"user:read":         "See your name, user name and language",
		"user:write":        "Change your profile",
		"user-profile:read": "See your whole profile, with contact details and company",

		"viewables:read": "View previews of your files",
		"data:read":      "See your projects, folders and files",
		"data:read:":     "See single files and folders that it names later",
		"data:write":     "Change and delete your projects, folders and files",
		"data:create":    "Add new folders and files",
		"data:search":    "Search in your projects and files",

		"bucket:create": "Create places to store files",
		"bucket:read":   "See where files are stored",
		"bucket:update": "Change settings of places that store files",
		"bucket:delete": "Delete places that store files, with what is in them",

		"code:all":      "Run programs on your behalf",
		"account:read":  "See all that you administer here: people, apps, hubs, projects and what happened",
		"account:write": "Change all that you administer here: add administrators, set passwords, give rights",

		"application:service_account:read":      "See the app’s service accounts",
		"application:service_account:write":     "Create, change and delete the app’s service accounts",
		"application:service_account_key:read":  "See the keys of the app’s service accounts",
		"application:service_account_key:write": "Create, change and delete keys of the app’s service accounts",
	}
}

// ScopeText returns what a scope allows, in plain words. A scope for one thing,
// data:read:<URN>, names the thing; one that nobody knows is its own text.
func ScopeText(scope string) string {
	if text, known := scopeTexts()[scope]; known {
		return text
	}
	if urn, single := strings.CutPrefix(scope, "data:read:"); single {
		return "See one file or folder: " + urn
	}
	return scope
}

// ScopeLines returns a line for each scope, in the order given.
func ScopeLines(scopes []string) []ScopeLine {
	lines := make([]ScopeLine, len(scopes))
	for i, scope := range scopes {
		lines[i] = ScopeLine{Name: scope, Text: texts.Own(ScopeText(scope))}
	}
	return lines
}
