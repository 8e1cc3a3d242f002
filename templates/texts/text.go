// Package texts holds the words that people read on pages and in mails, in every
// language that is spoken.
//
// A handler names what is to be said (Say) and knows no language; whoever makes
// the page asks the Language of its reader for the words. The words are in the
// files NAME.LANGUAGE.toml: one for each area of pages and language, the same
// keys in each. Start with Say, and with Catalogue for how a language is found.
package texts

import (
	"cmp"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/pattern"
)

// Text is something that a page says: a message of the catalogue with what is
// filled in, or words that are somebody's own, such as a name. The zero Text
// says nothing.
type Text struct {
	Key  string `json:"key,omitempty"`
	Args []any  `json:"args,omitempty"` // names and values in turn
	Own  string `json:"own,omitempty"`

	English string `json:"english,omitempty"` // see Fault
}

// key is a message's name. Only a constant becomes one by itself, so that a test
// finds every use.
type key string

// Say returns the message of the catalogue. The arguments are what is filled in:
// the name of a placeholder, then its value, and so on. The value named Count
// decides between singular and plural. A value is a string, an int, a time.Time, a
// Day or a Text.
func Say(message key, args ...any) Text { return Text{Key: string(message), Args: args} }

// Own returns a text that is the same in every language: a name, an address, a
// word of a protocol.
func Own(words string) Text { return Text{Own: words} }

// Value returns a number or a time by itself, as the language writes it.
func Value(value any) Text { return Text{Args: []any{value}} }

// Day is a time of which only the day counts, that of its own zone.
type Day time.Time

// Fault returns what an answer of the API says in English, for a page: in the
// language of its reader where the catalogue has it under faults. Format and
// values are what the answer was made of; without values the format is empty.
func Fault(answer, format string, values []any) Text {
	text := Text{Own: answer, English: cmp.Or(format, answer)}
	for i, value := range values[:min(len(values), len(faultPlaces))] {
		text.Args = append(text.Args, faultPlaces[i:i+1], value)
	}
	return text
}

// faultPlaces are the names of what is filled into a fault, in order.
const faultPlaces = "ABCDEFGH"

var verb = pattern.Of(`%(?:\.[0-9]+)?[a-z]`)

// placed writes a format as the catalogue does: "%s must be a day" is "{{.A}} must
// be a day", and quotes are typographic.
func placed(format string) string {
	next := 0
	return verb().ReplaceAllStringFunc(strings.ReplaceAll(format, "'", "’"), func(verb string) string {
		if next++; next > len(faultPlaces) {
			return verb // somebody's words, which no message is made of
		}
		place := "{{." + faultPlaces[next-1:next] + "}}"
		if strings.HasSuffix(verb, "q") {
			return "“" + place + "”"
		}
		return place
	})
}

// Empty reports whether the text says nothing.
func (t Text) Empty() bool { return t.Key == "" && t.Own == "" && len(t.Args) == 0 }
