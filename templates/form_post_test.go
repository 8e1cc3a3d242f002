package templates_test

import (
	"bytes"
	"testing"

	"golang.org/x/net/html"

	"github.com/portico-id/portico/templates"
)

func TestFormPostKeepsTheRedirectURIToTheByte(t *testing.T) {
	pages := newPages(t)
	for _, uri := range []string{
		"https://app.example.test/cb",
		"https://app.example.test/cb?a=1&b=(2)&c='x'&d=%2F",
		"http://127.0.0.1:4711/cb",
		"com.example.app:/oauth",
	} {
		var b bytes.Buffer
		if err := pages.FormPost(&b, templates.FormPostPage{Action: uri}); err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		if got := attribute(byID(t, parse(t, b.String()), "form-post"), "action"); got != uri {
			t.Errorf("the form goes to %s, want %s", got, uri)
		}
	}
}

func TestFormPostRefusesWhatABrowserWouldNotSendTo(t *testing.T) {
	pages := newPages(t)
	for _, uri := range []string{"", "/relative", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x",
		"file:///x", "blob:x", "::"} {
		var b bytes.Buffer
		if err := pages.FormPost(&b, templates.FormPostPage{Action: uri}); err == nil {
			t.Errorf("%q was taken", uri)
		}
		if b.Len() > 0 {
			t.Errorf("%q: something was written before the failure", uri)
		}
	}
}

// Rule: AUTH-12
func TestFormPostCarriesItsFieldsUnchangedAndInOrder(t *testing.T) {
	fields := []templates.Field{{Name: "code", Value: "c"}, {Name: "state", Value: `"<>#&%{}~'`},
		{Name: "iss", Value: "https://id.example.test"}}
	var b bytes.Buffer
	if err := newPages(t).FormPost(&b, templates.FormPostPage{Action: "https://app.example.test/cb",
		Fields: fields}); err != nil {
		t.Fatal(err)
	}
	var got []templates.Field
	for n := range byID(t, parse(t, b.String()), "form-post").Descendants() {
		if n.Type == html.ElementNode && attribute(n, "type") == "hidden" {
			got = append(got, templates.Field{Name: attribute(n, "name"), Value: attribute(n, "value")})
		}
	}
	if len(got) != len(fields) {
		t.Fatalf("%d fields, want %d", len(got), len(fields))
	}
	for i := range fields {
		if got[i] != fields[i] {
			t.Errorf("field %d is %+v, want %+v", i, got[i], fields[i])
		}
	}
}
