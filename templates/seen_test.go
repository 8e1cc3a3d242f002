package templates_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/templates"
)

func edited(name, uris, scope, flag string) templates.Form {
	return templates.Form{Edits: true, Inputs: []templates.Input{
		{Kind: templates.InputText, Name: "name", Value: name}, {Kind: templates.InputLines, Name: "uris", Value: uris},
		{Kind: templates.InputChoices, Name: "scope", Options: []templates.Option{{Value: "a", Chosen: scope != "b"},
			{Value: "b", Chosen: scope != "a"}}},
		{Kind: templates.InputFlag, Name: "flag", Value: flag}, {Kind: templates.InputPassword, Name: "password"},
	}}
}

// Rule: PAGE-13
func TestWhatTwoPeopleMakeOfOneThingIsBroughtTogether(t *testing.T) {
	seen := edited("Old", "x\ny", "a", "").Was()
	for name, c := range map[string]struct {
		sent url.Values
		now  templates.Form
		both []string
		want url.Values
	}{
		"nobody else": {url.Values{"name": {"New"}, "uris": {"x\r\ny"}, "scope.a": {"on"}},
			edited("Old", "x\ny", "a", ""), nil,
			url.Values{"name": {"New"}, "uris": {"x\r\ny"}, "scope.a": {"on"}}},
		"other fields": {url.Values{"name": {"New"}, "uris": {"x\r\ny"}, "scope.a": {"on"}},
			edited("Old", "x\ny\nz", "b", "on"), nil,
			url.Values{"name": {"New"}, "uris": {"x\ny\nz"}, "scope.b": {"on"}, "flag": {"on"}}},
		"the same": {url.Values{"name": {"New"}, "uris": {"x\r\ny"}, "scope.a": {"on"}}, edited("New", "x\ny", "a", ""), nil,
			url.Values{"name": {"New"}, "uris": {"x\r\ny"}, "scope.a": {"on"}}},
		"one field": {url.Values{"name": {"New"}, "uris": {"x"}, "scope.a": {"on"}}, edited("Newer", "y", "a", ""),
			[]string{"name", "uris"},
			url.Values{"name": {"New"}, "uris": {"x"}, "scope.a": {"on"}}},
	} {
		t.Run(name, func(t *testing.T) {
			c.sent.Set(templates.FieldSeen, seen)
			var both []string
			for _, input := range c.now.Meet(c.sent) {
				both = append(both, input.Name)
			}
			if diff := cmp.Diff(c.both, both); diff != "" {
				t.Errorf("both changed (-want +got):\n%s", diff)
			}
			c.want.Set(templates.FieldSeen, c.now.Was())
			if diff := cmp.Diff(c.want, c.sent); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}
