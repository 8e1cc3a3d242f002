// Package templates holds the pages that people see: their words, their looks
// and the policies under which a browser shows them.
//
// It is plain html/template with one stylesheet, and knows nothing of requests,
// cookies or rules: a handler fills a page's struct and calls the method of the
// same name. Every page works with JavaScript switched off. Start with pages.go
// for what there is, html/layout.html for the frame around each page, and
// assets.go for what else must be served.
package templates

import (
	"bytes"
	"embed"
	"fmt"
	"github.com/DataDog/datadog-agent/pkg/template/html"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

//go:embed html/*.html
var sources embed.FS

// Pages renders every page. It is safe for concurrent use.
type Pages struct {
	brand  func() Brand
	words  *texts.Catalogue
	byName map[string]page
	token  func() string
	nobody string // stands for the person in forms until it is known whose page it is
}

// page is one page in the languages that it is there in.
type page struct {
	in, own  *texts.Chooser                                // own: where it is about the own account
	speaking map[string]func() (*template.Template, error) // by the tag of the language
}

// FormToken is the parameter of a form's address that names the form. Whoever
// serves the form carries it out once, however often it is sent. FormPerson says
// whom the form was shown to.
const (
	FormToken  = "form"
	FormPerson = "by"
)

// New parses what stands around pages; each page is parsed when it is first asked
// for. Each form of a page gets a token of its own, which can't be guessed. An
// error is a fault of the build, never of a request.
func New(token func() string) (*Pages, error) {
	pages := &Pages{words: texts.New(), byName: map[string]page{}, token: token, nobody: "nobody-" + token()}
	pages.Branded(Always(Brand{}))
	for layout, names := range layouts() {
		if err := pages.parse(layout, names); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// parse adds the pages that have the layout around them.
func (p *Pages) parse(layout string, names []string) error {
	around, err := template.New(layout).Funcs(p.functions()).Funcs(speech(p.words.English())).
		ParseFS(sources, "html/"+layout+".html", "html/parts.html")
	if err != nil {
		return fmt.Errorf("parsing the layout: %w", err)
	}
	for _, name := range names {
		p.byName[name] = p.inEachLanguage(name, around, layout+".html")
	}
	return nil
}

// inEachLanguage makes the page in every language that it is there in, each when
// it is first asked for: a server speaks few of them.
func (p *Pages) inEachLanguage(name string, around *template.Template, root string) page {
	among := func(inArabic bool) *texts.Chooser {
		return p.words.Among(func(l *texts.Language) bool { return l.Tag != "ar" || inArabic })
	}
	always := slices.Contains(inArabic(), name)
	made := page{
		in: among(always), own: among(always || slices.Contains(ownInArabic(), name)),
		speaking: map[string]func() (*template.Template, error){},
	}
	for _, language := range p.words.Languages() {
		made.speaking[language.Tag] = sync.OnceValues(func() (*template.Template, error) {
			own, err := around.Clone()
			if err != nil {
				return nil, err
			}
			if _, err := own.ParseFS(sources, "html/"+name+".html"); err != nil {
				return nil, err
			}
			return own.Funcs(speech(language)).Lookup(root), nil
		})
	}
	return made
}

func (p *Pages) functions() template.FuncMap {
	assets := Assets()
	return template.FuncMap{
		"stylesheet": func() string { return assets.path("portico", ".css") },
		"icon":       func() string { return assets.path("portico", ".svg") },
		"formPostJS": func() string { return assets.path("form-post", ".js") },

		"deskStylesheet": func() string { return assets.path("desk", ".css") },
		"copyJS":         func() string { return assets.path("copy", ".js") },
		"passkeyJS":      func() string { return assets.path("passkey", ".js") },
		"uploadJS":       func() string { return assets.path("upload", ".js") },
		"tryKeyJS":       func() string { return assets.path("try-key", ".js") },
		"once":           p.once,
		"brand":          func() Brand { return p.brand() },
		"failed":         failed,

		// Templates call no methods: one that might call any keeps all of them in the binary.
		"never":       time.Time.IsZero,
		"theme":       Frame.DataTheme,
		"administers": Desk.Administration,
		"tabs":        Desk.Tabs,
		"legal":       Brand.Links,
		"download":    Revealed.Download,
		"open":        Form.Open,
		"hasFile":     Form.HasFile,
		"first":       Form.First,
		"was":         Form.Was,
	}
}

// Languages returns the languages that pages are there in, English first.
func (p *Pages) Languages() []*texts.Language { return p.words.Languages() }

// Spoken returns the tag of the language of pages for who wants the one that the
// tag names; empty for an empty one.
func (p *Pages) Spoken(wish string) string {
	if wish == "" {
		return ""
	}
	return p.words.Among(func(*texts.Language) bool { return true }).Choose(wish).Tag
}

// once returns the address that a form with the action is sent to, once.
func (p *Pages) once(action string) string {
	mark := "?"
	if strings.Contains(action, "?") {
		mark = "&"
	}
	return action + mark + FormToken + "=" + p.token() + "&" + FormPerson + "=" + p.nobody
}

// signed says in the forms of a page whom they are shown to.
func (p *Pages) signed(page []byte, person string) []byte {
	whose := ""
	if person != "" {
		whose = "&amp;" + FormPerson + "=" + url.QueryEscape(person)
	}
	return bytes.ReplaceAll(page, []byte("&amp;"+FormPerson+"="+p.nobody), []byte(whose))
}

// render writes the whole page, in the language that its reader understands best,
// or, when it can't be made, nothing.
func (p *Pages) render(w io.Writer, name string, view interface{ around() Desk }) error {
	of, around := p.byName[name], view.around()
	in := of.in
	if around.Section == "" {
		in = of.own
	}
	speaking, err := of.speaking[in.Choose(around.Lang).Tag]()
	if err != nil {
		return fmt.Errorf("parsing page %s: %w", name, err)
	}
	var whole bytes.Buffer
	if err := speaking.Execute(&whole, dressed(view, around)); err != nil {
		return fmt.Errorf("rendering page %s: %w", name, err)
	}
	_, err = w.Write(p.signed(whole.Bytes(), around.Person))
	return err
}
