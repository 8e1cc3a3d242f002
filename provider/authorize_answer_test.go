package provider

import (
	"net/url"
	"testing"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Rule: AUTH-7
func TestAnswerParametersJoinTheRedirectURI(t *testing.T) {
	fields := []templates.Field{{Name: "code", Value: "a b&c"}, {Name: "state", Value: `"<>#&%`}}
	const encoded = "code=a+b%26c&state=%22%3C%3E%23%26%25"
	cases := []struct{ name, uri, mode, want string }{
		{"in the query", "https://a.example.test/cb", "query", "https://a.example.test/cb?" + encoded},
		{"beside the redirect URI's own query", "https://a.example.test/cb?x=1&y=2", "query",
			"https://a.example.test/cb?x=1&y=2&" + encoded},
		{"in the fragment", "https://a.example.test/cb", "fragment", "https://a.example.test/cb#" + encoded},
		{"in the fragment behind a query", "https://a.example.test/cb?x=1", "fragment",
			"https://a.example.test/cb?x=1#" + encoded},
		{"of an app's own scheme", "com.example.app:/cb", "query", "com.example.app:/cb?" + encoded},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := withParameters(c.uri, c.mode, fields); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// Rules: AUTH-4, AUTH-34
func TestErrorsGoOutInTheModeAskedFor(t *testing.T) {
	cases := []struct{ name, profile, responseType, responseMode, want string }{
		{"code by default in the query", "standard", "code", "", "query"},
		{"code in the fragment", "standard", "code", "fragment", "fragment"},
		{"code as a form", "standard", "code", "form_post", "form_post"},
		{"a missing response type in the query", "standard", "", "", "query"},
		{"hybrid by default in the fragment", "standard", "code id_token", "", "fragment"},
		{"hybrid never in the query", "standard", "code id_token", "query", "fragment"},
		{"an ID token never in the query", "standard", "id_token", "query", "fragment"},
		{"an unknown mode falls back", "standard", "code", "pigeon", "query"},
		{"a platform client's ID token as a form", "platform", "id_token", "", "form_post"},
		{"a platform client's ID token as a form, whatever was asked for", "platform", "id_token", "fragment", "form_post"},
		{"a type with an access token in the fragment", "standard", "token", "", "fragment"},
		{"and never in the query", "platform", "token", "query", "fragment"},
		{"one with a code beside it too", "standard", "code token", "", "fragment"},
		{"and one with an ID token", "standard", "code id_token token", "", "fragment"},
		{"any other unknown type in the query", "standard", "none", "", "query"},
		{"or the fragment, if asked for", "standard", "none", "fragment", "fragment"},
		{"an unknown type as a form, if asked for", "standard", "token", "form_post", "form_post"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := answerMode(clientprofile.Of(storage.Client{Profile: c.profile}),
				url.Values{"response_type": {c.responseType}, "response_mode": {c.responseMode}})
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
