package texts

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/pelletier/go-toml/v2"
)

// catalogue returns every message by language and key, and the area of each key:
// the name of its file.
func catalogue(t *testing.T) (messages map[string]map[string]*i18n.Message, areas map[string]string) {
	t.Helper()
	messages, areas = map[string]map[string]*i18n.Message{}, map[string]string{}
	for _, name := range writtenFiles(t, "*") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := i18n.ParseMessageFileBytes(text, name, map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		area, _, _ := strings.Cut(name, ".")
		tag := file.Tag.String()
		for _, m := range file.Messages {
			if !strings.HasPrefix(m.ID, area+".") {
				t.Errorf("%s: the key %s does not begin with %s", name, m.ID, area)
			}
			if messages[tag] == nil {
				messages[tag] = map[string]*i18n.Message{}
			}
			messages[tag][m.ID], areas[m.ID] = m, area
		}
	}
	return messages, areas
}

func forms(m *i18n.Message) map[string]string {
	all := map[string]string{"zero": m.Zero, "one": m.One, "two": m.Two, "few": m.Few, "many": m.Many, "other": m.Other}
	maps.DeleteFunc(all, func(_, words string) bool { return words == "" })
	return all
}

var placeholder = regexp.MustCompile(`\{\{\.(\w+)\}\}`)

func placeholders(m *i18n.Message) []string {
	var names []string
	for _, words := range forms(m) {
		for _, found := range placeholder.FindAllStringSubmatch(words, -1) {
			names = append(names, found[1])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Rule: LANG-1
func TestEveryTextIsThereInEveryLanguage(t *testing.T) {
	messages, areas := catalogue(t)
	for _, l := range spoken() {
		translated := map[string]bool{} // areas that the language has at all
		for id := range messages[l.Tag] {
			translated[areas[id]] = true
			if messages["en"][id] == nil {
				t.Errorf("%s: %s is not there in English", l.Tag, id)
			}
		}
		for id, area := range areas {
			if messages[l.Tag][id] == nil && (l.Tag != "ar" || translated[area]) {
				t.Errorf("%s: %s is missing", l.Tag, id)
			}
		}
	}
}

// englishWords are texts into which English alone fills a word, as it is one of English.
var englishWords = []string{"faults.absent", "faults.name-in-folder", "faults.no-permission", "faults.no-sight"}

// Rule: LANG-1
func TestEveryLanguageFillsInTheSame(t *testing.T) {
	messages, _ := catalogue(t)
	for tag, all := range messages {
		for id, m := range all {
			if tag != "en" && slices.Contains(englishWords, id) {
				if len(placeholders(m)) > 0 {
					t.Errorf("%s: %s fills in a word of English", tag, id)
				}
				continue
			}
			if english := messages["en"][id]; english != nil && !slices.Equal(placeholders(m), placeholders(english)) {
				t.Errorf("%s: %s fills in %v, and English %v", tag, id, placeholders(m), placeholders(english))
			}
		}
	}
}

// Rule: LANG-1
func TestEveryLanguageHasItsPlurals(t *testing.T) {
	want := map[string][]string{
		"en": {"one", "other"}, "de": {"one", "other"}, "fr": {"one", "other"}, "zh-Hans": {"other"},
		"ar": {"few", "many", "one", "other", "two", "zero"},
	}
	messages, _ := catalogue(t)
	for tag, all := range messages {
		for id, m := range all {
			english := messages["en"][id]
			if english == nil || english.One == "" && m.One == "" {
				continue
			}
			if got := slices.Sorted(maps.Keys(forms(m))); !slices.Equal(got, want[tag]) {
				t.Errorf("%s: %s has the forms %v, want %v", tag, id, got, want[tag])
			}
		}
	}
}

func TestTextsAreWordsAlone(t *testing.T) {
	messages, _ := catalogue(t)
	for tag, all := range messages {
		for id, m := range all {
			for form, words := range forms(m) {
				rest := placeholder.ReplaceAllString(words, "")
				if strings.ContainsAny(rest, "<>{}&'\"\n") || strings.Contains(words, "  ") {
					t.Errorf("%s: %s (%s) has markup, a straight quote or a line break: %q", tag, id, form, words)
				}
			}
		}
	}
}

// Rule: LANG-2
func TestTheLanguageIsTheFirstWishThatIsSpoken(t *testing.T) {
	chooser := New().Among(func(*Language) bool { return true })
	for wanted, want := range map[string]string{
		"": "en", "en": "en", "en-GB": "en", "se": "en", "de-CH": "de", "fr-CA,fr,en": "fr", "nl,fr;q=0.8,de;q=0.9": "de",
		"zh-CN": "zh-Hans", "zh": "zh-Hans", "ar-EG": "ar", "xx-invalid-!,de": "de", `"><script>`: "en", "*": "en",
		strings.Repeat("q", 5000): "en",
	} {
		if got := chooser.Choose(wanted).Tag; got != want {
			t.Errorf("who wants %.40q gets %s, want %s", wanted, got, want)
		}
	}
}

// Rule: LANG-5
func TestDatesAndNumbersAreWrittenAsTheLanguageDoes(t *testing.T) {
	at := time.Date(2026, 11, 2, 9, 5, 0, 0, time.UTC)
	for tag, want := range map[string][2]string{
		"en": {"2 Nov 2026, 09:05 UTC", "12,345"}, "de": {"02.11.2026, 09:05 UTC", "12.345"},
		"fr":      {"2 nov. 2026, 09:05 UTC", "12\u202f345"},
		"zh-Hans": {"2026年11月2日 09:05 UTC", "12,345"}, "ar": {"02\u200f/11\u200f/2026، 09:05 UTC", "12٬345"},
	} {
		l := New().Find(tag)
		if got := [2]string{l.Moment(at), l.Number(12345)}; got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}

// Rule: LANG-3
func TestForeignWordsDoNotTurnTheSentence(t *testing.T) {
	c := New()
	for _, one := range []struct{ tag, words, want string }{
		{"en", "Site Planner", "Site Planner"},
		{"en", "مخطط", "\u2068مخطط\u2069"},
		{"de", "a\u202eb", "\u2068a\u202eb\u2069"},
		{"ar", "Site Planner", "\u2068Site Planner\u2069"},
		{"ar", "", ""},
	} {
		if got := c.Find(one.tag).fill(one.words); got != one.want {
			t.Errorf("%s: %q becomes %q, want %q", one.tag, one.words, got, one.want)
		}
	}
}

// Rule: LANG-4
func TestWhatTheAPIAnswersIsSaidInTheLanguageOfThePage(t *testing.T) {
	c := New()
	for _, one := range []struct {
		text     Text
		tag, say string
	}{
		{Fault("There is no such user.", "", nil), "de", "Diese Person gibt es nicht."},
		{Fault("Another group is called Editors.", "Another group is called %s.", []any{"Editors"}), "fr",
			"Un autre groupe s’appelle Editors."},
		{Fault("", "This must be %s.", []any{"a text of at most 200 characters in one line"}), "de",
			"Hier gehört hin: ein Text mit höchstens 200 Zeichen in einer Zeile."},
		{Fault("Nobody has translated this.", "", nil), "de", "Nobody has translated this."},
		{Fault("There is no such user.", "", nil), "en", "There is no such user."},
	} {
		if got := c.Find(one.tag).Say(one.text); got != one.say {
			t.Errorf("%s: %q, want %q", one.tag, got, one.say)
		}
	}
}

// A library that others use reads the same files, and counts the same.
//
// Rule: LANG-1
func TestNumbersAreSaidAsAnotherLibrarySaysThem(t *testing.T) {
	messages, _ := catalogue(t)
	ours := New()
	for _, l := range ours.Languages() {
		theirs := i18n.NewBundle(l.tag)
		for id, m := range messages[l.Tag] {
			if m.One == "" && l.Tag != "zh-Hans" {
				continue
			}
			theirs.MustAddMessages(l.tag, m)
			for n := range 120 {
				fill := map[string]any{}
				for _, name := range placeholders(m) {
					fill[name] = name
				}
				fill["Count"] = l.Number(n)
				want := i18n.NewLocalizer(theirs, l.Tag).MustLocalize(
					&i18n.LocalizeConfig{MessageID: id, TemplateData: fill, PluralCount: n})
				args := []any{"Count", n}
				for _, name := range placeholders(m) {
					if name != "Count" {
						args = append(args, name, Own(name))
					}
				}
				if got := l.Say(Text{Key: id, Args: args}); got != want {
					t.Errorf("%s, %s, %d: %q, and %q", l.Tag, id, n, got, want)
				}
			}
		}
	}
}
