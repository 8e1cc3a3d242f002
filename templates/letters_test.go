package templates_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/templates"
)

func newLetters(t *testing.T) *templates.Letters {
	t.Helper()
	letters, err := templates.NewLetters("https://id.example.test")
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
		Device: "Firefox on Linux", Address: "192.0.2.7", By: "John Doe", App: "Wiki", Factor: "an authenticator app",
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
			text, _, _ := strings.Cut(paragraph, ":\nhttps://")
			if !strings.HasPrefix(text, "-- ") && !strings.Contains(mail.HTML, text) {
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
		l.Name, l.Email, l.Device, l.Address, l.By, l.App, l.Factor = evil, evil, evil, evil, evil, evil, evil
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
		templates.LetterPasswordChanged, templates.LetterAddressNew, templates.LetterAddressOld, templates.LetterAddressChanged,
		templates.LetterNewSignIn, templates.LetterFactorAdded, templates.LetterFactorRemoved, templates.LetterAppInvitation, templates.LetterTest,
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(letterKinds(t))); !slices.Equal(want, got) {
		t.Errorf("letters are %v, names %v", got, want)
	}
	if _, err := newLetters(t).Write(templates.Letter{Kind: "nothing"}); err == nil {
		t.Error("an unknown kind is written")
	}
}
