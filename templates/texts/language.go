package texts

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/go-playground/locales"
	"github.com/go-playground/locales/ar"
	"github.com/go-playground/locales/de"
	"github.com/go-playground/locales/en_GB"
	"github.com/go-playground/locales/fr"
	"github.com/go-playground/locales/zh"
	"golang.org/x/text/language"
)

// Language says texts in one language. It is safe for concurrent use.
type Language struct {
	Tag  string // BCP 47
	Name string // in the language itself
	Dir  string // ltr or rtl

	tag     language.Tag
	customs locales.Translator // how dates and numbers are written
	learned func() *vocabulary
}

// vocabulary is the messages of one language; what it lacks is said in English.
type vocabulary struct {
	messages map[string]message
	faults   map[string]string // key of a message of the faults, by its English
}

// spoken returns the languages, English first.
func spoken() []*Language {
	return []*Language{
		{Tag: "en", Name: "English", Dir: "ltr", tag: language.English, customs: en_GB.New()},
		{Tag: "de", Name: "Deutsch", Dir: "ltr", tag: language.German, customs: de.New()},
		{Tag: "fr", Name: "Français", Dir: "ltr", tag: language.French, customs: fr.New()},
		{Tag: "zh-Hans", Name: "简体中文", Dir: "ltr", tag: language.SimplifiedChinese, customs: zh.New()},
		{Tag: "ar", Name: "العربية", Dir: "rtl", tag: language.Arabic, customs: ar.New()},
	}
}

// learn returns the vocabulary of a language whose own messages these are.
func learn(english, own map[string]message) *vocabulary {
	v := &vocabulary{messages: maps.Clone(english), faults: map[string]string{}}
	maps.Copy(v.messages, own)
	for key, m := range english {
		if strings.HasPrefix(key, "faults.") {
			v.faults[m.words] = key
		}
	}
	return v
}

// Say returns the text's words. A message that the catalogue does not have is
// said by its key.
func (l *Language) Say(t Text) string {
	known := l.learned()
	if t.English != "" {
		t.Key = known.faults[placed(t.English)]
	}
	switch {
	case t.Key == "" && t.Own == "" && len(t.Args) == 1:
		return l.fill(t.Args[0])
	case t.Key == "":
		return t.Own
	}
	m, ok := known.messages[t.Key]
	if !ok {
		return t.Key
	}
	words, fill := m.words, make([]string, 0, len(t.Args))
	for i := 0; i+1 < len(t.Args); i += 2 {
		name, _ := t.Args[i].(string)
		fill = append(fill, "{{."+name+"}}", l.fill(t.Args[i+1]))
		if number, ok := whole(t.Args[i+1]); ok && name == "Count" {
			words = m.counting(l.customs, number)
		}
	}
	return strings.NewReplacer(fill...).Replace(words)
}

// fill writes what is filled into a message.
func (l *Language) fill(value any) string {
	switch v := value.(type) {
	case string:
		if key, known := l.learned().faults[placed(v)]; known { // a fault in a fault: what a value should be
			return l.Say(Text{Key: key})
		}
		return l.isolated(v)
	case Text:
		return l.Say(v)
	case time.Time:
		return l.Moment(v)
	case Day:
		return l.customs.FmtDateMedium(time.Time(v))
	}
	if number, ok := whole(value); ok {
		return l.Number(number)
	}
	return l.isolated(fmt.Sprint(value))
}

// whole returns a number; one that was in JSON has become a float64.
func whole(value any) (int, bool) {
	switch n := value.(type) {
	case int:
		return n, true
	case float64:
		return int(n), true
	}
	return 0, false
}

// Number writes a number as the language does.
func (l *Language) Number(n int) string { return l.customs.FmtNumber(float64(n), 0) }

// Moment writes a time to the minute, with the name of its zone.
func (l *Language) Moment(t time.Time) string {
	if t.IsZero() {
		return l.Say(Say("parts.never"))
	}
	return l.customs.FmtDateMedium(t) + l.Say(Say("parts.before-time-of-day")) + t.Format("15:04 MST")
}

// isolated keeps a foreign text from turning the sentence around it: where one of
// the two is written from right to left, it stands between a first strong isolate
// and its end (Unicode Bidirectional Algorithm, UAX 9, section 2.4).
func (l *Language) isolated(words string) string {
	if words == "" || l.Dir == "ltr" && !strings.ContainsFunc(words, turns) {
		return words
	}
	return "\u2068" + words + "\u2069"
}

// turns reports whether a character is written from right to left, or changes the
// direction of others.
func turns(c rune) bool {
	switch {
	case c < 0x590:
		return false
	case c <= 0x8ff, c >= 0xfb1d && c <= 0xfdff, c >= 0xfe70 && c <= 0xfeff, c >= 0x10800 &&
		c <= 0x10fff, c >= 0x1e800 && c <= 0x1efff:
		return true
	}
	return c >= 0x200e && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}
