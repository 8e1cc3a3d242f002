package texts

import (
	"strings"

	"github.com/go-playground/locales"
)

// message is what is said under one key. Where a value is filled in stands its
// name: {{.Name}}.
type message struct {
	words string            // of most messages all there is, of others those of the form "other"
	forms map[string]string // words by the plural forms of the language (CLDR: zero, one, two, few, many)
}

// counting returns the words for a number of things.
func (m message) counting(customs locales.Translator, number int) string {
	form := strings.ToLower(customs.CardinalPluralRule(float64(number), 0).String())
	if words := m.forms[form]; words != "" {
		return words
	}
	return m.words
}
