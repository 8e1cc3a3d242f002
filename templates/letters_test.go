package templates_test

import (
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

func newLetters(t *testing.T) *templates.Letters {
	t.Helper()
	letters, err := newPages(t).Letters("https://id.example.test",
		templates.Brand{Name: "Weber & Söhne", SupportURL: "mailto:help@example.test"})
	if err != nil {
		t.Fatal(err)
	}
	return letters
}

// letter has a value everywhere, each unlike the others.
func letter(kind string) templates.Letter {
	return templates.Letter{
		Kind: kind, Name: "Mary Major", Email: "mary@example.test", URL: "https://id.example.test/password?link=TOKEN",
		Until: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), At: time.Date(2026, 3, 3, 5, 6, 7, 0, time.UTC),
		Project: "Tower", Title: "For review", Number: 7, Address: "192.0.2.7", By: "John Doe", App: "Wiki",
		Factor: texts.Say("security.authenticator"),
		Device: texts.Say("own.sessions.device-on", "Browser", "Firefox", "System", "Linux"),
	}
}

func letterKinds(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("letters/en/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var kinds []string
	for _, file := range files {
		kinds = append(kinds, strings.TrimSuffix(filepath.Base(file), ".txt"))
	}
	return kinds
}

func TestLettersSayTheSameAsTextAndAsHTML(t *testing.T) {
	letters := newLetters(t)
	for _, kind := range letterKinds(t) {
		mail, err := letters.Write(letter(kind))
		if err != nil {
			t.Error(err)
			continue
		}
		compareGolden(t, filepath.Join("testdata", "letters", kind+".txt"), mail.Subject+"\n\n"+mail.Text)
		compareGolden(t, filepath.Join("testdata", "letters", kind+".html"), mail.HTML)
		for paragraph := range strings.SplitSeq(mail.Text, "\n\n") {
			text, _, _ := strings.Cut(paragraph, "\nhttps://")
			if !strings.HasPrefix(text, "-- ") && !strings.Contains(mail.HTML, html.EscapeString(text)) {
				t.Errorf("%s: the HTML lacks %q", kind, text)
			}
		}
	}
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s is not what is written now (%v): go test ./templates -update", file, err)
	}
}

// Rule: MAIL-3
func TestWhatPeopleChooseStaysTextInLetters(t *testing.T) {
	letters := newLetters(t)
	evil := "x\r\nBcc: victim@example.test\r\n\r\n[Click]\n\n<script>alert(1)</script>\u2028{{.URL}}"
	for _, kind := range letterKinds(t) {
		l := letter(kind)
		plain, err := letters.Write(l)
		if err != nil {
			t.Fatal(err)
		}
		l.Name, l.Email, l.Address, l.By, l.App = evil, evil, evil, evil, evil
		l.Device, l.Factor = texts.Own(evil), texts.Own(evil)
		mail, err := letters.Write(l)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(mail.Subject, "\r\n\u2028") || strings.Contains(mail.HTML, "<script") {
			t.Errorf("%s: a value broke out: %q\n%s", kind, mail.Subject, mail.HTML)
		}
		if lines := strings.Count(mail.Text, "\n"); lines != strings.Count(plain.Text, "\n") {
			t.Errorf("%s: a value made lines: %d\n%s", kind, lines, mail.Text)
		}
		if strings.Count(mail.HTML, "<a ") != strings.Count(plain.HTML, "<a ") {
			t.Errorf("%s: a value made a link\n%s", kind, mail.HTML)
		}
	}
}

func TestEveryKindOfLetterIsKnownByName(t *testing.T) {
	want := []string{
		templates.LetterPasswordLink, templates.LetterInvitation, templates.LetterSignUp, templates.LetterSignUpKnown,
		templates.LetterPasswordChanged, templates.LetterAddressNew, templates.LetterAddressOld,
		templates.LetterAddressChanged,
		templates.LetterNewSignIn, templates.LetterFactorAdded, templates.LetterFactorRemoved, templates.LetterAppInvitation,
		templates.LetterAccountDeleted, templates.LetterTransmittal, templates.LetterTest,
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(letterKinds(t))); !slices.Equal(want, got) {
		t.Errorf("letters are %v, names %v", got, want)
	}
	if _, err := newLetters(t).Write(templates.Letter{Kind: "nothing"}); err == nil {
		t.Error("an unknown kind is written")
	}
}

var (
	filledIn = regexp.MustCompile(`\{\{\.\w+\}\}`)
	button   = regexp.MustCompile(`(?m)^\[.+\]$`)
)

// Rule: MAIL-6
func TestEveryLetterIsThereInEveryLanguageAndSaysTheSame(t *testing.T) {
	for _, language := range texts.Tags() {
		files, err := filepath.Glob("letters/" + language + "/*.txt")
		if want := len(letterKinds(t)); err != nil || len(files) != want && language != "ar" {
			t.Errorf("%s has %d letters of %d", language, len(files), want)
		}
		for _, file := range files {
			english, translated := read(t, filepath.Join("letters/en", filepath.Base(file))), read(t, file)
			want, got := slices.Sorted(maps.Keys(fills(english))), slices.Sorted(maps.Keys(fills(translated)))
			if !slices.Equal(want, got) {
				t.Errorf("%s fills in %v, the English one %v", file, got, want)
			}
			if strings.Count(english, "\n\n") != strings.Count(translated, "\n\n") ||
				len(button.FindAllString(translated, -1)) != len(button.FindAllString(english, -1)) {
				t.Errorf("%s has other paragraphs than the English one", file)
			}
		}
	}
}

func fills(words string) map[string]bool {
	all := map[string]bool{}
	for _, one := range filledIn.FindAllString(words, -1) {
		all[one] = true
	}
	return all
}

func read(t *testing.T, file string) string {
	t.Helper()
	words, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(words)
}

// Rule: MAIL-6
func TestALetterTellsTimesAsThePersonsClockDoes(t *testing.T) {
	for zone, want := range map[string]string{"": "05:06 UTC", "Europe/Paris": "06:06 CET",
		"America/New_York": "00:06 EST", "No/Where": "05:06 UTC"} {
		l := letter(templates.LetterNewSignIn)
		l.Zone = zone
		if mail, err := newLetters(t).Write(l); err != nil || !strings.Contains(mail.Text, want) ||
			!strings.Contains(mail.HTML, want) {
			t.Errorf("%s: %v\n%s", zone, err, mail.Text)
		}
	}
}

// Rule: MAIL-6
func TestALetterIsInTheLanguageOfThePersonAndNamesTheServer(t *testing.T) {
	letters := newLetters(t)
	for wanted, want := range map[string][]string{
		"":        {"en", "A sign-in on a new device", "on 3 Mar 2026, 05:06 UTC", "Support"},
		"de-AT,":  {"de", "Eine Anmeldung auf einem neuen Gerät", "am 03.03.2026, 05:06 UTC", "Hilfe"},
		"fr":      {"fr", "Une connexion", "le 3 mars 2026", "Assistance"},
		"zh-CN":   {"zh-Hans", "新设备上的登录", "2026年3月3日", "支持"},
		"ar":      {"en", "A sign-in on a new device", "Firefox", "Support"},
		"ar,de":   {"de", "Eine Anmeldung auf einem neuen Gerät", "Firefox", "Hilfe"},
		"xx,%%,1": {"en", "A sign-in on a new device", "Firefox", "Support"},
	} {
		l := letter(templates.LetterNewSignIn)
		l.Languages = wanted
		mail, err := letters.Write(l)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(mail.HTML, `lang="`+want[0]+`"`) || !strings.HasPrefix(mail.Subject, want[1]) {
			t.Errorf("%s: %s", wanted, mail.Subject)
		}
		for _, part := range append(want[2:], "Weber & Söhne", "help@example.test") {
			if !strings.Contains(mail.Text, part) || !strings.Contains(mail.HTML, html.EscapeString(part)) {
				t.Errorf("%s: the mail lacks %q:\n%s", wanted, part, mail.Text)
			}
		}
	}
}
