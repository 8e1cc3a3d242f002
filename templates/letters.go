package templates

import (
	"cmp"
	"embed"
	"fmt"
	"github.com/DataDog/datadog-agent/pkg/template/html"
	texttemplate "github.com/DataDog/datadog-agent/pkg/template/text"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/portico-id/portico/templates/texts"
)

//go:embed letters
var letterSources embed.FS

// Letter is a mail to a person: which one, and what it speaks of. Each kind uses
// what it needs of it.
type Letter struct {
	Kind    string    `json:"kind"`            // one of the kinds below
	Name    string    `json:"name,omitempty"`  // of whom it is for
	Email   string    `json:"email,omitempty"` // the address that it is about
	URL     string    `json:"-"`               // where its button leads
	Until   time.Time `json:"until,omitzero"`
	At      time.Time `json:"at,omitzero"` // when it happened
	Address string    `json:"address,omitempty"`
	By      string    `json:"by,omitempty"` // who did it, or wants it
	App     string    `json:"app,omitempty"`

	Project string `json:"project,omitempty"` // in which something was sent,
	Title   string `json:"title,omitempty"`   // what that is called,
	Number  int    `json:"number,omitempty"`  // and its number there

	Device texts.Text `json:"device,omitzero"` // where it happened, as Address
	Factor texts.Text `json:"factor,omitzero"` // what one proves with that it is oneself

	// Languages are those that the person wants, as Accept-Language has them.
	Languages string `json:"languages,omitempty"`

	Zone string `json:"zone,omitempty"` // that its times are written in, as the person's account has it; empty: UTC
}

// The kinds of letters: each is a file of letters/LANGUAGE.
const (
	LetterPasswordLink    = "password-link"
	LetterInvitation      = "invitation"
	LetterSignUp          = "sign-up"
	LetterSignUpKnown     = "sign-up-known"
	LetterPasswordChanged = "password-changed"
	LetterAddressNew      = "address-new" // to the new address
	LetterAddressOld      = "address-old"
	LetterAddressChanged  = "address-changed"
	LetterNewSignIn       = "new-sign-in"
	LetterFactorAdded     = "factor-added"
	LetterFactorRemoved   = "factor-removed"
	LetterAppInvitation   = "app-invitation"
	LetterTransmittal     = "transmittal"
	LetterAccountDeleted  = "account-deleted"
	LetterTest            = "test"
)

// Mail is a letter as it is sent.
type Mail struct{ Subject, Text, HTML string }

// Letters writes letters. It is safe for concurrent use.
type Letters struct {
	baseURL string
	brand   func() Brand
	in      *texts.Chooser
	written map[string]map[string]letter // by the tag of the language, and by kind
	page    *template.Template
}

// letter is the text of a kind: a subject, and paragraphs. Each is a template of
// its own, so that no value can become a paragraph or a button.
type letter struct {
	subject    *texttemplate.Template
	paragraphs []paragraph
}

type paragraph struct {
	text   *texttemplate.Template
	button bool
}

// Letters parses all letters, which speak as the pages do. An error is a fault of
// the build.
func (p *Pages) Letters(baseURL string, brand Brand) (l *Letters, err error) {
	l = &Letters{baseURL: baseURL, brand: Always(brand), written: map[string]map[string]letter{}}
	if l.page, err = template.ParseFS(letterSources, "letters/letter.html"); err != nil {
		return nil, err
	}
	files, err := fs.Glob(letterSources, "letters/*/*.txt")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		source, err := letterSources.ReadFile(file)
		if err != nil {
			return nil, err
		}
		tag, kind := path.Base(path.Dir(file)), strings.TrimSuffix(path.Base(file), ".txt")
		if l.written[tag] == nil {
			l.written[tag] = map[string]letter{}
		}
		if l.written[tag][kind], err = parseLetter(kind, string(source)); err != nil {
			return nil, fmt.Errorf("parsing %s: %w", file, err)
		}
	}
	l.in = p.words.Among(func(language *texts.Language) bool { return l.written[language.Tag] != nil })
	return l, nil
}

func parseLetter(kind, source string) (parsed letter, err error) {
	for i, text := range strings.Split(strings.TrimSpace(source), "\n\n") {
		label, button := strings.CutPrefix(text, "[")
		if button {
			text = strings.TrimSuffix(label, "]")
		}
		t, err := texttemplate.New(kind).Option("missingkey=error").Parse(text)
		if err != nil {
			return parsed, err
		}
		if i == 0 {
			parsed.subject = t
			continue
		}
		parsed.paragraphs = append(parsed.paragraphs, paragraph{t, button})
	}
	return parsed, nil
}

// said is a paragraph of a letter with its values.
type said struct {
	Text   string
	Button bool
}

// Write writes the letter, in the first language that is spoken of those that the
// person wants; else in English.
func (l *Letters) Write(letter Letter) (Mail, error) {
	in := l.in.Choose(letter.Languages)
	source, ok := l.written[in.Tag][letter.Kind]
	if !ok {
		return Mail{}, fmt.Errorf("there is no letter %q", letter.Kind)
	}
	brand := l.brand()
	values := map[string]string{
		"Server": brand.Name, "Name": letter.Name, "Email": letter.Email, "By": letter.By, "App": letter.App,
		"Project": letter.Project, "Title": letter.Title, "Number": strconv.Itoa(letter.Number),
		"Factor": in.Say(letter.Factor),
		"Device": in.Say(letter.Device), "Address": letter.Address, "Until": in.Moment(letter.local(letter.Until)),
		"At": in.Moment(letter.local(letter.At)),
	}
	for name, value := range values {
		values[name] = oneLine(value)
	}
	subject, err := worded(source.subject, values)
	if err != nil {
		return Mail{}, err
	}
	var all []said
	for _, p := range source.paragraphs {
		text, err := worded(p.text, values)
		if err != nil {
			return Mail{}, err
		}
		all = append(all, said{text, p.button})
	}
	html, err := l.html(in, brand, subject, letter.URL, all)
	return Mail{Subject: subject, Text: l.text(in, brand, letter.URL, all), HTML: html}, err
}

// local returns the time in the zone of whom the letter is for.
func (l Letter) local(t time.Time) time.Time {
	zone, err := time.LoadLocation(l.Zone)
	if err != nil {
		zone = time.UTC
	}
	return t.In(zone)
}

func worded(t *texttemplate.Template, values map[string]string) (string, error) {
	var text strings.Builder
	err := t.Execute(&text, values)
	return text.String(), err
}

func (l *Letters) text(in *texts.Language, brand Brand, url string, all []said) string {
	var text strings.Builder
	for _, p := range all {
		text.WriteString(p.Text)
		if p.Button {
			text.WriteString("\n" + url)
		}
		text.WriteString("\n\n")
	}
	text.WriteString("-- \n" + brand.Name + "\n" + l.baseURL + "\n")
	if brand.SupportURL != "" {
		text.WriteString(in.Say(texts.Say("parts.brand.support")) + "\n" + strings.TrimPrefix(brand.SupportURL, "mailto:") +
			"\n")
	}
	return text.String()
}

func (l *Letters) html(in *texts.Language, brand Brand, subject, url string, all []said) (string, error) {
	var page strings.Builder
	logo := ""
	if brand.LogoURL != "" {
		logo = l.baseURL + brand.LogoURL
	}
	err := l.page.Execute(&page, map[string]any{
		"Lang": in.Tag, "Subject": subject, "URL": url, "Paragraphs": all, "Server": brand.Name, "LogoURL": logo,
		"Color": cmp.Or(brand.Color, "#1f5fbf"), "BaseURL": l.baseURL,
		"SupportURL": brand.SupportURL, "Support": in.Say(texts.Say("parts.brand.support")),
	})
	return page.String(), err
}

// oneLine keeps what people chose on the line that it is written into.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }),
		" ")
}
