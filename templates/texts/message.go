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

// other is the form that each message with a number has in each language.
const other = "other"

// gather takes the messages out of a table of a file: texts, tables of plural
// forms, and tables of both, whose names come before theirs.
func gather(into map[string]message, prefix string, table map[string]any) {
	for name, value := range table {
		switch v := value.(type) {
		case string:
			into[prefix+name] = message{words: v}
		case map[string]any:
			if words, ok := v[other].(string); ok {
				into[prefix+name] = message{words: words, forms: plurals(v)}
				continue
			}
			gather(into, prefix+name+".", v)
		}
	}
}

func plurals(table map[string]any) map[string]string {
	forms := map[string]string{}
	for form, value := range table {
		forms[form], _ = value.(string)
	}
	return forms
}

// counting returns the words for a number of things.
func (m message) counting(customs locales.Translator, number int) string {
	form := strings.ToLower(customs.CardinalPluralRule(float64(number), 0).String())
	if words := m.forms[form]; words != "" {
		return words
	}
	return m.words
}
