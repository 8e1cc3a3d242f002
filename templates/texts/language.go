package texts

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-playground/locales"
	"github.com/go-playground/locales/ar"
	"github.com/go-playground/locales/de"
	"github.com/go-playground/locales/en_GB"
	"github.com/go-playground/locales/fr"
	"github.com/go-playground/locales/zh"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// Language says texts in one language. It is safe for concurrent use.
type Language struct {
	Tag  string // BCP 47
	Name string // in the language itself
	Dir  string // ltr or rtl

	tag       language.Tag
	fixed     map[string]string // messages in which nothing is filled in
	faults    map[string]string // key of a message of the faults, by its English
	localizer *i18n.Localizer
	customs   locales.Translator // how dates and numbers are written
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

// learn looks up, once for all, every message in which nothing is filled in. What
// the language lacks is said in English.
func (l *Language) learn(bundle *i18n.Bundle, messages map[language.Tag]map[string]*i18n.Message) {
	l.localizer = i18n.NewLocalizer(bundle, l.tag.String(), language.English.String())
	l.fixed, l.faults = map[string]string{}, map[string]string{}
	for _, tag := range []language.Tag{language.English, l.tag} {
		for id, m := range messages[tag] {
			if m.One == "" && !strings.Contains(m.Other, "{{") {
				l.fixed[id] = m.Other
			}
			if tag == language.English && strings.HasPrefix(id, "faults.") {
				l.faults[m.Other] = id
			}
		}
	}
}

// Say returns the text's words. A message that the catalogue does not have is
// said by its key.
func (l *Language) Say(t Text) string {
	if t.English != "" {
		t.Key = l.faults[placed(t.English)]
	}
	switch {
	case t.Key == "" && t.Own == "" && len(t.Args) == 1:
		return l.fill(t.Args[0])
	case t.Key == "":
		return t.Own
	}
	if words, ok := l.fixed[t.Key]; ok {
		return words
	}
	fill := map[string]any{}
	var count any
	for i := 0; i+1 < len(t.Args); i += 2 {
		name, _ := t.Args[i].(string)
		fill[name] = l.fill(t.Args[i+1])
		if number, ok := whole(t.Args[i+1]); ok && name == "Count" {
			count = number
		}
	}
	words, err := l.localizer.Localize(&i18n.LocalizeConfig{MessageID: t.Key, TemplateData: fill, PluralCount: count})
	if words == "" && err != nil {
		return t.Key
	}
	return words
}

// fill writes what is filled into a message.
func (l *Language) fill(value any) string {
	switch v := value.(type) {
	case string:
		if key, known := l.faults[placed(v)]; known { // a fault in a fault: what a value should be
			return l.Say(Text{Key: key})
		}
		return l.isolated(v)
	case Text:
		return l.Say(v)
	case time.Time:
		return l.Moment(v)
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
