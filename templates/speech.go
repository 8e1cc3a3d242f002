package templates

import (
	"github.com/DataDog/datadog-agent/pkg/template/html"
	"strings"
	"time"

	"github.com/portico-id/portico/templates/texts"
)

// speech is what a page says in one language: the functions of its template.
//
//	{{t "login.title"}}                        a message
//	{{t "groups.people" "Count" .Members}}     with a number: singular and plural
//	{{t "login.lead" "App" (strong .Name)}}    with markup around what is filled in
//	{{with say .Notice}}<p>{{.}}</p>{{end}}    a texts.Text, if it says anything
func speech(l *texts.Language) template.FuncMap {
	return template.FuncMap{
		"lang": func() string { return l.Tag },
		"dir":  func() string { return l.Dir },
		"t":    func(key string, args ...any) any { return fill(l, texts.Text{Key: key, Args: args}) },
		"say":  l.Say,
		"when": func(t time.Time) template.HTML { return when(l, t) },

		"number":   l.Number,
		"strong":   func(words string) template.HTML { return around("strong", words) },
		"code":     func(words string) template.HTML { return around("code", words) },
		"isolated": isolated,
		"own":      texts.Own,
		"label":    func(t texts.Text) any { return label(l, t) },
	}
}

// label says a text. A name of several parts, such as a scope, breaks between them.
func label(l *texts.Language, t texts.Text) any {
	words := l.Say(t)
	if t.Key != "" || strings.Contains(words, " ") {
		return words
	}
	broken := strings.NewReplacer(":", ":<wbr>", "_", "_<wbr>").Replace(template.HTMLEscapeString(words))
	return template.HTML(broken) // #nosec G203 -- escaped
}

// fill says a message. One with markup filled in is markup itself: everything
// else in it is escaped.
func fill(l *texts.Language, t texts.Text) any {
	var marked []string
	for i := 1; i < len(t.Args); i += 2 {
		if markup, ok := t.Args[i].(template.HTML); ok {
			sign := string(rune(0xe000 + i)) // for private use: nobody's text has it
			marked = append(marked, sign, string(markup))
			t.Args[i] = texts.Own(sign)
		}
	}
	words := l.Say(t)
	if marked == nil {
		return words
	}
	escaped := template.HTMLEscapeString(words)
	return template.HTML(strings.NewReplacer(marked...).Replace(escaped)) // #nosec G203 -- escaped
}

// around marks a text up, whichever way it is written.
func around(element, words string) template.HTML {
	return "<" + template.HTML(element) + ">" + isolated(words) + "</" + template.HTML(element) +
		">" // #nosec G203 -- ours
}

// isolated keeps a text from turning what is around it.
func isolated(words string) template.HTML {
	return template.HTML("<bdi>" + template.HTMLEscapeString(words) + "</bdi>") // #nosec G203 -- escaped
}

// when writes a time for people and machines.
func when(l *texts.Language, t time.Time) template.HTML {
	if t.IsZero() {
		return template.HTML(`<span class="quiet">` + template.HTMLEscapeString(l.Moment(t)) +
			`</span>`) // #nosec G203 -- escaped
	}
	return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339) + `" title="` +
		t.UTC().Format("2006-01-02 15:04:05 UTC") + `">` + // #nosec G203 -- escaped
		template.HTMLEscapeString(l.Moment(t)) + `</time>`)
}
