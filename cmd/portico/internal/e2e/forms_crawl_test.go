package e2e

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// pageForm is a form of a page that somebody found.
type pageForm struct {
	key    string // the same for the same form of another app, user, key …
	by     *visitor
	page   string
	at     *url.URL // where it is sent
	fields url.Values
	file   string // the field of a file; empty: none
}

// number is part of a path that names one of many; an app has one of 32 letters and digits, once in a
// thousand without digits.
var number = regexp.MustCompile(`/([^/]*[0-9A-Z][^/]*|[a-z]{32}\b)`)

func kindOf(path string) string { return number.ReplaceAllString(path, "/{}") }

// rank puts what needs something sound first, and what ends something last, the smaller before the larger.
func (f pageForm) rank() int {
	ends := slices.IndexFunc([]string{"remove", "second-factor", "withdraw", "account/password", "end-others",
		"end-sessions", "demote", "disable", "delete", "rotate", authenticatorPath, "hide", "archive"},
		func(word string) bool {
			return strings.Contains(f.at.Path, word)
		})
	switch {
	case strings.HasSuffix(f.at.Path, "/keys"), strings.HasSuffix(f.at.Path, "/twin"):
		return -1 // before the account that gets one is disabled, or the PDF gets a picture for a version
	case ends < 0:
		return 0
	}
	return 10*(ends+1) - strings.Count(f.at.Path, "/")
}

// crawl follows every link from the first page on, a few of each kind, and
// returns the forms that change something.
func (v *visitor) crawl(t *testing.T) []pageForm {
	t.Helper()
	var forms []pageForm
	seen, ofKind, todo := map[string]bool{}, map[string]int{}, []string{"/"}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		u, err := url.Parse(path)
		if err != nil || seen[path] || ofKind[kindOf(u.Path)] > 5 || strings.HasPrefix(path, "/.well-known") ||
			strings.HasPrefix(path, "/admin/audit.") {
			continue
		}
		ofKind[kindOf(u.Path)]++
		seen[path] = true
		got := v.fetch("GET", path)
		if got.Status >= 400 {
			t.Errorf("%s leads to %s, status %d", v.email, path, got.Status)
		}
		forms = append(forms, formsOf(v, path, got.Body)...)
		todo = append(todo, linksOf(path, got.Body)...)
	}
	return forms
}

func attributes(n *html.Node) map[string]string {
	at := map[string]string{}
	for _, a := range n.Attr {
		at[a.Key] = a.Val
	}
	return at
}

func linksOf(page, body string) []string {
	document, err := html.Parse(strings.NewReader(body))
	base, parsed := url.Parse(page)
	if err != nil || parsed != nil {
		return nil
	}
	var links []string
	for n := range document.Descendants() {
		if asks(n) {
			links = append(links, askedBy(n, base)...)
		}
		if n.Type != html.ElementNode || n.Data != "a" {
			continue
		}
		to, err := base.Parse(attributes(n)["href"])
		if err == nil && to.Scheme == "" && to.Host == "" {
			to.Fragment = ""
			links = append(links, to.String())
		}
	}
	return links
}

// formsOf returns the forms of a page that are sent with POST, filled in.
func formsOf(v *visitor, page, body string) []pageForm {
	document, err := html.Parse(strings.NewReader(body))
	base, parsed := url.Parse(page)
	if err != nil || parsed != nil {
		return nil
	}
	var forms []pageForm
	for n := range document.Descendants() {
		form := pageForm{by: v, page: page, fields: url.Values{}}
		if form.at, err = base.Parse(attributes(n)["action"]); err != nil {
			continue
		}
		switch {
		case asks(n):
			forms = append(forms, form.postedBy(n, base)...)
		case n.Type == html.ElementNode && n.Data == "form" && strings.EqualFold(attributes(n)["method"], "post"):
			form.read(n)
			form.prove(body)
			forms = append(forms, form)
		}
	}
	return forms
}

// read takes what the form holds as it is, with the first choice of those that
// nobody made.
func (f *pageForm) read(form *html.Node) {
	names := []string{}
	for n := range form.Descendants() {
		at := attributes(n)
		if n.Type != html.ElementNode || at["name"] == "" {
			continue
		}
		name, _, _ := strings.Cut(at["name"], ".") // of several things that are alike
		names = append(names, name)
		_, checked := at["checked"]
		switch {
		case n.Data == "textarea":
			f.fields.Set(at["name"], strings.TrimPrefix(textOf(n), "\n"))
		case n.Data == "select":
			f.choose(n, at["name"])
		case at["type"] == "file":
			f.file = at["name"]
		case at["type"] == "checkbox" && !checked && at["name"] != "at_once":
		case at["type"] == "radio" && !checked && f.fields.Has(at["name"]):
		case n.Data == "input" || n.Data == "button":
			f.fields.Set(at["name"], at["value"])
		}
	}
	f.fill()
	slices.Sort(names)
	f.key = kindOf(f.at.Path) + " " + strings.Join(slices.Compact(names), " ")
	if status := f.fields.Get("status"); status != "" {
		f.key += " " + status
	}
}

// choose takes the first option with a value, unless one is chosen.
func (f *pageForm) choose(list *html.Node, name string) {
	for n := range list.Descendants() {
		if n.Type != html.ElementNode || n.Data != "option" {
			continue
		}
		_, chosen := attributes(n)["selected"]
		if value := attributes(n)["value"]; chosen && value != "" || f.fields.Get(name) == "" {
			f.fields.Set(name, value)
		}
	}
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// again returns the form as its page has it now; false when it is not there any
// more.
func (v *visitor) again(form pageForm) (pageForm, bool) {
	for _, now := range formsOf(v, form.page, v.fetch("GET", form.page).Body) {
		if now.key == form.key && now.at.Path == form.at.Path {
			return now, true
		}
	}
	return form, false
}

// fill writes into the fields that are empty.
func (f *pageForm) fill() {
	n := fmt.Sprint(f.by.reads.Add(1))
	for name, text := range map[string]string{
		"name": "thing-" + n, "label": "Thing " + n, "claim": "thing_" + n, "email": "thing" + n + "@example.test",
		"member": "member@example.test", "to": "admin@example.test", "title": "Thing " + n,
		"user": "person@example.test", "group": "Editors", "redirect_uris": callback, "hub": "Example Works",
		"issuer": "https://id.works.example", "client_id": "portico",
		"password": password, "again": password,
		"resource": "https://thing" + n + ".example.test",
		"id":       "thing-" + n, "hosts": "ldaps://127.0.0.1:1", "base": "ou=people,dc=works,dc=test",
	} {
		if f.fields.Has(name) && f.fields.Get(name) == "" {
			f.fields.Set(name, text)
		}
	}
	if f.fields.Has("client") {
		f.fields.Set("client", f.by.someApp)
	}
	if f.fields.Has("suitability") {
		f.fields.Set("state", "shared")
		f.fields.Set("suitability", "S2")
	}
	if f.fields.Has("resource") { // no client of an upstream's, and something to allow
		f.fields.Set("scope", "thing:read")
		f.fields.Set("client_id", "")
	}
}

// prove types the code that the form asks for.
func (f *pageForm) prove(page string) {
	if f.at.Path == authenticatorPath {
		f.fields.Set("code", shownCode(secretOf(page), 0))
	}
}

func (f pageForm) on(base string) *url.URL {
	u, err := url.Parse(base)
	if err != nil {
		return f.at
	}
	return u.ResolveReference(f.at)
}

// content is what is in the form's file: people, or a picture.
func (f pageForm) content() []byte {
	if f.file == "file" {
		return fmt.Appendf(nil, "email\nimported-%s@example.test\n", strings.ToLower(f.at.Query().Get("form")))
	}
	return picture(f.by)
}

// sends sends the form as a browser does, and follows nowhere.
func (v *visitor) sends(form pageForm) answer {
	body, kind := strings.NewReader(form.fields.Encode()), formType
	if form.file != "" {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		part, err := w.CreateFormFile(form.file, "logo.png")
		v.must(err)
		_, err = part.Write(form.content())
		v.must(err)
		v.must(w.Close())
		body, kind = strings.NewReader(b.String()), w.FormDataContentType()
	}
	r, err := http.NewRequest(http.MethodPost, form.on(v.URL).String(), body)
	v.must(err)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Origin", v.URL)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	got, err := try(v.http, r)
	v.must(err)
	return got
}
