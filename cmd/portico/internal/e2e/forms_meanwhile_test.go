package e2e

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/templates"
)

// editable are fields into which anything can be typed, with two things to type.
var editable = map[string][2]string{
	"company": {"First", "Second"}, "job_title": {"First", "Second"}, "description": {"First", "Second"},
	"zoneinfo":   {"Europe/Paris", "Europe/Rome"},
	"policy_uri": {"https://first.example.test/", "https://second.example.test/"},
	"terms_uri":  {"https://first.example.test/", "https://second.example.test/"},
}

// Every form that saves, on every page, says what it shows; two that stand in two tabs
// take nothing from each other.
//
// Rule: PAGE-13
func TestTheSecondOfTwoWhoEditOneThingIsToldWithBothValues(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), nil)
	walked := map[string]bool{}
	for _, path := range f.pages(t) {
		body := f.admin.fetch("GET", path).Body
		saves := strings.Count(body, ">Save</button>") - strings.Count(body,
			`id="access-form-submit"`) // a choice of two meets no other
		for _, form := range formsOf(f.admin, path, body) {
			if !form.fields.Has(templates.FieldSeen) {
				continue
			}
			saves--
			if key := kindOf(form.at.Path); !walked[key] {
				walked[key] = true
				f.admin.meets(t, form)
			}
		}
		if saves > 0 {
			t.Errorf("%s: %d forms that save don't say what they show", path, saves)
		}
	}
	t.Logf("walked %q", slices.Sorted(maps.Keys(walked)))
	if len(walked) < 5 {
		t.Errorf("only %d forms", len(walked))
	}
}

// meets sends the form from two tabs.
func (v *visitor) meets(t *testing.T, form pageForm) {
	t.Helper()
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(editable)) {
		if form.fields.Has(name) {
			fields = append(fields, name)
		}
	}
	tab := func(field, value string) pageForm {
		now, _ := v.again(form)
		if field != "" {
			now.fields.Set(field, value)
		}
		return now
	}
	if len(fields) == 0 {
		return // boxes to tick: whoever ticks one takes no other away, as the table of templates shows
	}
	one := fields[0]
	first, second := tab(one, editable[one][0]), tab(one, editable[one][1])
	if got := v.sends(first); got.Status != http.StatusSeeOther {
		t.Errorf("%s: the first: %d\n%s", form.page, got.Status, got.Body)
	}
	got := v.sends(second)
	if got.Status != http.StatusUnprocessableEntity ||
		!strings.Contains(got.Body, "Somebody else made this "+editable[one][0]+" meanwhile") ||
		!strings.Contains(got.Body, editable[one][1]) {
		t.Fatalf("%s: the second: %d\n%s", form.page, got.Status, got.Body)
	}
	for _, again := range formsOf(v, form.page, got.Body) {
		if again.key != form.key {
			continue
		}
		if got := v.sends(again); got.Status != http.StatusSeeOther ||
			!strings.Contains(v.fetch("GET", form.page).Body, editable[one][1]) {
			t.Errorf("%s: sent again: %d", form.page, got.Status)
		}
	}
	if len(fields) < 2 {
		return
	}
	third, fourth := tab(one, editable[one][0]), tab(fields[1], editable[fields[1]][1])
	v.sends(third)
	if got := v.sends(fourth); got.Status != http.StatusSeeOther {
		t.Errorf("%s: another field: %d\n%s", form.page, got.Status, got.Body)
	}
	if now := tab("", ""); now.fields.Get(one) != editable[one][0] || now.fields.Get(fields[1]) != editable[fields[1]][1] {
		t.Errorf("%s: something was taken back: %v", form.page, now.fields)
	}
}
