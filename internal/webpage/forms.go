package webpage

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Mark puts the faults of a form into it: each beside the field that it names,
// and all in the summary. It returns false, and changes nothing, when err is
// not about what the person typed: then it is to be shown as a failure.
func Mark(form *templates.Form, err error) bool {
	faults := fault.All(err)
	for _, f := range faults {
		if !typed(f.Kind) {
			return false
		}
	}
	for _, f := range faults {
		field := f.Source
		i := slices.IndexFunc(form.Inputs, func(input templates.Input) bool { return input.Name == field })
		if i < 0 {
			field = ""
		} else {
			form.Inputs[i].Problems = append(form.Inputs[i].Problems, Detail(f))
		}
		form.Problems = append(form.Problems, templates.Problem{Text: Detail(f), Field: field})
	}
	form.Sort()
	return len(faults) > 0
}

// Meet brings what somebody sent together with what others made of it since the form
// was shown, which now shows. The error names each field that both have changed, with
// what it is now: what was sent stays in the field, and is taken when it is sent again.
func Meet(sent url.Values, now templates.Form) error {
	var faults fault.List
	for _, both := range now.Meet(sent) {
		f := fault.New(fault.Conflict, "changed_meanwhile",
			"Somebody else emptied this meanwhile. Send the form again to have it as it stands here.")
		if holds := both.Holds(); holds != "" {
			f = fault.Newf(fault.Conflict, "changed_meanwhile",
				"Somebody else made this %s meanwhile. Send the form again to have it as it stands here.", holds)
		}
		faults.Add(f.At(both.Name))
	}
	return faults.Err()
}

// Marked returns the status of a form with faults in it. Where they say so, the
// header tells when to try again.
func Marked(header http.Header, err error) int {
	if !fault.Is(err, fault.TooMany) {
		return http.StatusUnprocessableEntity
	}
	httpio.SetRetryAfter(header, fault.From(err).RetryAfter)
	return http.StatusTooManyRequests
}

// Detail returns what a fault says to people, for the language of the page.
func Detail(f *fault.Error) texts.Text { return texts.Fault(f.Detail, f.Format, f.Values) }

// typed reports whether a fault of the kind can come from what was typed.
func typed(kind fault.Kind) bool {
	return kind == fault.Invalid || kind == fault.Conflict || kind == fault.Forbidden || kind == fault.TooMany
}

// Lines returns the lines of a field of several, without space around them and
// without empty ones.
func Lines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Chosen returns which options of a field of any were chosen, in the order of
// the options.
func Chosen(values url.Values, field string, options []string) []string {
	chosen := []string{}
	for _, option := range options {
		if values.Get(field+"."+option) == "on" {
			chosen = append(chosen, option)
		}
	}
	return chosen
}
