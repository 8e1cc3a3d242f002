package e2e

import (
	"maps"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// asks reports whether it is a form that asks for another page with what it holds. Its
// buttons may lead elsewhere, and send it with POST.
func asks(n *html.Node) bool {
	return n.Type == html.ElementNode && n.Data == "form" && strings.EqualFold(attributes(n)["method"], "get")
}

// buttonsOf are the buttons of a form that say something more than the form, as somebody
// presses them who ticked its last box, with what is sent then.
func buttonsOf(form *html.Node, each func(button map[string]string, sent url.Values)) {
	held, ticked := url.Values{}, ""
	for n := range form.Descendants() {
		switch at := attributes(n); {
		case n.Data == "input" && at["type"] == "checkbox":
			ticked = at["name"]
		case n.Data == "input" && at["type"] == "hidden":
			held.Set(at["name"], at["value"])
		}
	}
	if ticked != "" {
		held.Set(ticked, "on")
	}
	for n := range form.Descendants() {
		at := attributes(n)
		if n.Type != html.ElementNode || n.Data != "button" || at["name"] == "" && at["formaction"] == "" {
			continue
		}
		sent := maps.Clone(held)
		if at["name"] != "" {
			sent.Set(at["name"], at["value"])
		}
		each(at, sent)
	}
}

// askedBy are the pages that the buttons of a form ask for.
func askedBy(form *html.Node, base *url.URL) []string {
	var links []string
	buttonsOf(form, func(button map[string]string, sent url.Values) {
		to := button["formaction"]
		if to == "" {
			to = attributes(form)["action"]
		}
		if at, err := base.Parse(to); err == nil && button["formmethod"] == "" {
			at.RawQuery = sent.Encode()
			links = append(links, at.String())
		}
	})
	return links
}

// postedBy are the forms that its buttons make of a form that asks.
func (f pageForm) postedBy(form *html.Node, base *url.URL) []pageForm {
	var forms []pageForm
	buttonsOf(form, func(button map[string]string, sent url.Values) {
		if at, err := base.Parse(button["formaction"]); err == nil && button["formmethod"] == "post" {
			posted := f
			posted.at, posted.fields, posted.key = at, sent, kindOf(at.Path)+" of"
			forms = append(forms, posted)
		}
	})
	return forms
}
