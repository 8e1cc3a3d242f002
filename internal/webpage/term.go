package webpage

import (
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/term"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// TermInputs ask what a secret or key is for, and when it ends.
func TermInputs(values url.Values) []templates.Input {
	return []templates.Input{
		{Kind: templates.InputText, Name: term.FieldLabel, Label: texts.Say("parts.term-label"), Max: term.MaxLabel,
			Value: values.Get(term.FieldLabel), Hint: texts.Say("parts.term-label-hint")},
		{Kind: templates.InputDay, Name: term.FieldEndsAt, Label: texts.Say("parts.term-until"),
			Value: values.Get(term.FieldEndsAt), Hint: texts.Say("parts.term-until-hint")},
	}
}

// ReadTerm reads what was typed into them; a day ends in the zone of the page.
func ReadTerm(r *http.Request, reason string, values url.Values) (term.Term, error) {
	return term.Parse(reason, values.Get(term.FieldLabel), values.Get(term.FieldEndsAt), Zone(r))
}
