package templates

import (
	"errors"
	"github.com/DataDog/datadog-agent/pkg/template/html"
	"html"
	"io"
	"net/url"
	"slices"
	"strings"
)

// formPostView is a FormPostPage whose target has been judged.
type formPostView struct {
	FormPostPage
	Target template.HTMLAttr
	Host   string // where the browser goes; empty for an app on the device
}

// FormPost writes the page that carries an authorization response. It fails
// when Action is no absolute URI or one that a browser would run or read
// instead of send to.
func (p *Pages) FormPost(w io.Writer, page FormPostPage) error {
	target, err := url.Parse(page.Action)
	if err != nil || !target.IsAbs() || runs(target.Scheme) {
		return errors.New("form_post: the redirect URI can't be the target of a form")
	}
	// html/template rewrites some characters of a URL, such as parentheses. A
	// redirect URI goes out as it was registered, so only HTML is escaped here.
	attr := template.HTMLAttr(`action="` + html.EscapeString(page.Action) +
		`"`) // #nosec G203 -- escaped, scheme judged above
	return p.render(w, "form-post", formPostView{FormPostPage: page, Target: attr, Host: target.Host})
}

// runs reports whether a URI of the scheme is a document or a program by
// itself.
func runs(scheme string) bool {
	return slices.Contains([]string{"javascript", "data", "vbscript", "blob", "file", "about", "filesystem",
		"view-source"}, strings.ToLower(scheme))
}
