package main

import (
	"cmp"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// person is somebody who can sign in.
type person struct{ name, password string }

// form is one of a page, filled in by a person who signs in and agrees.
type form struct {
	action string
	posted bool
	secret bool // it wants a password
	fields url.Values
}

// noes are what buttons are called that go no further.
var noes = []string{"deny", "no", "cancel", "decline", "reject"}

// leadsOn returns the form of a page that goes on with a sign-in: the one that wants a
// password or, of those that are posted, the last that has a button which says yes.
func leadsOn(page io.Reader, who person) (*form, error) {
	root, err := html.Parse(page)
	if err != nil {
		return nil, err
	}
	var found *form
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "form" {
			continue
		}
		f := readForm(root, n, who)
		if f.secret {
			return f, nil
		}
		if f.posted {
			found = f
		}
	}
	if found == nil {
		return nil, errors.New("a page without a form that leads on")
	}
	return found, nil
}

// readForm fills in a form: what is inside of it, and what says that it belongs to it.
func readForm(root, n *html.Node, who person) *form {
	f := &form{action: attribute(n, "action"), fields: url.Values{},
		posted: strings.EqualFold(attribute(n, "method"), "post")}
	name := attribute(n, "id")
	for field := range root.Descendants() {
		if field.Type == html.ElementNode && (within(field, n) || name != "" && attribute(field, "form") == name) {
			f.fill(field, who)
		}
	}
	return f
}

func (f *form) fill(field *html.Node, who person) {
	name, value := attribute(field, "name"), attribute(field, "value")
	if name == "" {
		return
	}
	switch kind := cmp.Or(attribute(field, "type"), "text"); {
	case field.Data == "button" || kind == "submit":
		if !slices.Contains(noes, strings.ToLower(value)) {
			f.fields.Set(name, value)
		}
	case field.Data != "input":
	case kind == "password":
		f.secret = true
		f.fields.Set(name, who.password)
	case kind == "email" || kind == "text":
		f.fields.Set(name, who.name)
	case kind == "checkbox" || kind == "radio":
		if slices.ContainsFunc(field.Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
			f.fields.Set(name, value)
		}
	default:
		f.fields.Set(name, value)
	}
}

func within(n, ancestor *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == ancestor {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
