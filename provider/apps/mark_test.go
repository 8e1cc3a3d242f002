package apps

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Who gives the mark reads the same of what ends it as whoever has the app.
//
// Rule: ACCESS-7
func TestWhatEndsTheMarkIsSaidInTheSameWordsEverywhere(t *testing.T) {
	var hint texts.Text
	for _, input := range flagsForm(storage.Client{}).Inputs {
		if input.Name == FieldVouched {
			hint = input.Hint
		}
	}
	var told templates.Fact
	for _, fact := range (&Portal{}).facts(storage.Client{Vouched: true}) {
		if fact.Label.Key == "apps.mark.vouched" {
			told = fact
		}
	}
	for _, language := range texts.New().Languages() {
		ends := language.Say(told.Text)
		if said := language.Say(hint); ends == "" || !strings.HasSuffix(said, ends) {
			t.Errorf("%s: who gives it reads %q, whose app has it %q", language.Tag, said, ends)
		}
	}
}
