package templates_test

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

func formPage(t *testing.T, desk templates.Desk) *html.Node {
	t.Helper()
	var out bytes.Buffer
	form := namedInputs()
	if err := newPages(t).Form(&out, templates.FormPage{Desk: desk, Form: form}); err != nil {
		t.Fatal(err)
	}
	return parse(t, out.String())
}

// namedInputs is a form with a field of each kind, named after it.
func namedInputs() templates.Form {
	form := everyInput()
	form.Action = "/things/new"
	for i := range form.Inputs {
		form.Inputs[i].Name = string(form.Inputs[i].Kind)
	}
	return form
}

// What was too large to wait must not empty the form, which shows what there is.
//
// Rule: FORM-5
func TestAFormOfWhichNothingWaitedStaysAsItIs(t *testing.T) {
	form := namedInputs()
	for i := range form.Inputs {
		form.Inputs[i].Value = "there"
	}
	var want, got bytes.Buffer
	for out, desk := range map[*bytes.Buffer]templates.Desk{&want: {},
		&got: {Refill: templates.Refill{Action: form.Action}}} {
		if err := newPages(t).Form(out, templates.FormPage{Desk: desk, Form: form}); err != nil {
			t.Fatal(err)
		}
	}
	if got.String() != want.String() || !strings.Contains(want.String(), "there") {
		t.Errorf("the form is\n%s\nand not\n%s", &got, &want)
	}
}

// Rule: FORM-5
func TestAFormHasWhatWasTypedBeforeButNoSecret(t *testing.T) {
	typed := url.Values{}
	for _, input := range namedInputs().Inputs {
		typed.Set(input.Name, "as typed")
	}
	for name, desk := range map[string]templates.Desk{
		"as typed": {Refill: templates.Refill{Action: "/things/new", Values: typed}},
		"":         {Refill: templates.Refill{Action: "/things/old", Values: typed}},
	} {
		root := formPage(t, desk)
		for _, n := range elements(root, "input") {
			want := name
			switch attribute(n, "type") {
			case "password", "file":
				want = ""
			case "checkbox", "radio":
				continue
			}
			if got := attribute(n, "value"); got != want {
				t.Errorf("%s is %q, want %q", attribute(n, "name"), got, want)
			}
		}
	}
}

// Rule: FORM-5
func TestASecretThatWasTypedIsAskedForAnew(t *testing.T) {
	const action = "/things/new"
	for typed, want := range map[string]int{"secret=typed": 2, "secret=": 0, "name=its+secret+did+not+wait": 2} {
		values, err := url.ParseQuery(typed)
		if err != nil {
			t.Fatal(err)
		}
		form := templates.Form{Action: action, More: texts.Own("More"), Inputs: []templates.Input{
			{Kind: templates.InputText, Name: "name"}, {Kind: templates.InputPassword, Name: "secret", More: true},
			{Kind: templates.InputPassword, Name: "secret", Required: true}}}
		waited := templates.Desk{Refill: templates.Refill{Action: action, Values: values}}
		for what, page := range map[string]templates.FormPage{
			"refused": {Form: form.Refill(values)}, "waited": {Form: form, Desk: waited},
		} {
			var out bytes.Buffer
			if err := newPages(t).Form(&out, page); err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(out.String(), "Type this again"); got != want {
				t.Errorf("after %s a form that was %s says it %d times:\n%s", typed, what, got, &out)
			}
		}
	}
}

// Rule: FORM-7
func TestEveryFormSaysWhomItWasShownTo(t *testing.T) {
	for _, s := range samples() {
		page := rendered(t, newPages(t), s, templates.Frame{})
		for _, form := range elements(parse(t, page), "form") {
			to, err := url.Parse(attribute(form, "action"))
			if err != nil || strings.Contains(to.RawQuery, "nobody") {
				t.Errorf("%s: a form goes to %s", s.name, to)
			}
		}
	}
	for person, want := range map[string]string{"U1": "U1", "": ""} {
		form := elements(formPage(t, templates.Desk{Person: person}), "form")
		to, err := url.Parse(attribute(form[len(form)-1], "action"))
		if err != nil || to.Query().Get(templates.FormPerson) != want || to.Query().Get(templates.FormToken) != "TOKEN" {
			t.Errorf("the form goes to %s", to)
		}
	}
}

// Rule: PAGE-9
func TestTimesAreInTheZoneOfWhoLooks(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for shown, frame := range map[string]templates.Frame{"07:00 EST": {Zone: zone}, "12:00 UTC": {}} {
		at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		var out bytes.Buffer
		page := templates.UsersPage{Desk: templates.Desk{Frame: frame}, Users: []templates.UserRow{{LastSignIn: at}}}
		if err := newPages(t).Users(&out, page); err != nil {
			t.Fatal(err)
		}
		when := elements(parse(t, out.String()), "time")[0]
		if !strings.HasSuffix(when.FirstChild.Data, shown) || attribute(when, "title") != "2026-03-04 12:00:00 UTC" {
			t.Errorf("%s with the title %s, want %s", when.FirstChild.Data, attribute(when, "title"), shown)
		}
	}
}

// Rule: PAGE-9
func TestWhatManyPagesShowIsNotWrittenToForWhoLooks(t *testing.T) {
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	shared := []texts.Text{texts.Say("people.promote-stops", "At", at)}
	page := templates.ConfirmPage{
		Desk: templates.Desk{Frame: templates.Frame{Zone: time.FixedZone("EST", -5*3600)}}, Stops: shared,
	}
	if err := newPages(t).Confirm(&bytes.Buffer{}, page); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(shared[0].Args, any(at)) {
		t.Errorf("the times of all are %v", shared[0].Args)
	}
}
