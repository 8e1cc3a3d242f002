package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"

	"golang.org/x/net/html"
)

// visitor is a person with a browser without scripts: it keeps cookies, fills
// forms and follows redirects. Its methods return errors, so that tests may
// run many at once.
type visitor struct {
	*site
	email    string
	password string
	address  string // where the person is, as the proxy in front says
	http     *http.Client
	goes     []string             // beginnings of addresses beside the site's that are followed
	reads    *atomic.Int64        // how many forms it has read
	sent     func(address string) // is told where a program sends them; nil: nobody is

	authenticator string   // the secret of their authenticator app; empty: none
	recovery      []string // codes for when that is lost
}

func (s *site) visitor(email string) *visitor {
	jar, err := cookiejar.New(nil)
	s.must(err)
	return &visitor{site: s, email: email, password: password, reads: new(atomic.Int64), http: &http.Client{
		Jar: jar, Timeout: patience, Transport: s.plain.Transport, CheckRedirect: s.plain.CheckRedirect,
	}}
}

// page is where a visitor stands.
type page struct {
	answer
	At   *url.URL
	Away *url.URL // where it was sent but does not follow; nil: nowhere
}

// open goes to an address.
func (v *visitor) open(to string) (page, error) {
	r, err := http.NewRequest(http.MethodGet, to, nil)
	if err != nil {
		return page{}, err
	}
	return v.follow(r)
}

func (v *visitor) follow(r *http.Request) (page, error) {
	for range 15 {
		r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		if v.address != "" {
			r.Header.Set("X-Forwarded-For", v.address)
		}
		got, err := try(v.http, r)
		if err != nil {
			return page{}, err
		}
		location := got.Header.Get("Location")
		if location == "" {
			return page{answer: got, At: r.URL}, nil
		}
		to, err := r.URL.Parse(location)
		if err != nil {
			return page{}, err
		}
		if !v.goesTo(to.String()) {
			return page{answer: got, At: r.URL, Away: to}, nil
		}
		if r, err = http.NewRequest(http.MethodGet, to.String(), nil); err != nil {
			return page{}, err
		}
	}
	return page{}, errors.New("fifteen redirects")
}

func (v *visitor) goesTo(address string) bool {
	for _, beginning := range append(v.goes, v.URL+"/") {
		if strings.HasPrefix(address, beginning) {
			return true
		}
	}
	return false
}

// submit fills the page's form with the id and sends it.
func (v *visitor) submit(p page, id string, values url.Values) (page, error) {
	action, fields, err := p.form(id)
	if err != nil {
		return page{}, err
	}
	for name, value := range values {
		fields[name] = value
	}
	to, err := p.At.Parse(action)
	if err != nil {
		return page{}, err
	}
	r, err := http.NewRequest(http.MethodPost, to.String(), strings.NewReader(fields.Encode()))
	if err != nil {
		return page{}, err
	}
	r.Header.Set("Content-Type", formType)
	r.Header.Set("Origin", p.At.Scheme+"://"+p.At.Host)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return v.follow(r)
}

// form returns action and hidden fields of the form with the id.
func (p page) form(id string) (string, url.Values, error) {
	document, err := html.Parse(strings.NewReader(p.Body))
	if err != nil {
		return "", nil, err
	}
	action, found, fields := "", false, url.Values{}
	for n := range document.Descendants() {
		at := map[string]string{}
		for _, a := range n.Attr {
			at[a.Key] = a.Val
		}
		if n.Type == html.ElementNode && n.Data == "form" && at["id"] == id {
			action, found = at["action"], true
		}
		if n.Type == html.ElementNode && n.Data == "input" && at["type"] == "hidden" && !ofAnother(n, id) {
			fields.Set(at["name"], at["value"])
		}
	}
	if !found {
		return "", nil, fmt.Errorf("no form %q on %s (status %d):\n%s", id, p.At, p.Status, p.Body)
	}
	return action, fields, nil
}

// ofAnother reports whether something stands in another form than that with the id.
func ofAnother(n *html.Node, id string) bool {
	for above := range n.Ancestors() {
		if above.Type == html.ElementNode && above.Data == "form" {
			return attributes(above)["id"] != id
		}
	}
	return false
}

// through answers sign-in and consent as long as they are asked for.
func (v *visitor) through(p page, err error) (page, error) {
	if err == nil && p.Away == nil && p.At.Path == "/login" {
		p, err = v.submit(p, "login-form", form("username", v.email, "password", v.password))
	}
	if err == nil && p.Away == nil && p.At.Path == "/login/code" {
		p, err = v.submit(p, "code-form", form("code", v.recoveryCode()))
	}
	if err == nil && p.Away == nil && p.At.Path == "/consent" {
		p, err = v.submit(p, "consent-form", form("decision", "allow"))
	}
	return p, err
}

// authorizeURL is the address of an authorize request; pairs add parameters.
func (s *site) authorizeURL(c client, pairs ...string) string {
	f := form("client_id", c.ID, "redirect_uri", c.RedirectURIs[0], "response_type", "code", "scope",
		"openid email", "state", "some-state")
	for name, value := range form(pairs...) {
		f[name] = value
	}
	return s.URL + authorizePath + "?" + f.Encode()
}

// tryCode runs an authorize request to its code.
func (v *visitor) tryCode(c client, pairs ...string) (string, error) {
	p, err := v.through(v.open(v.authorizeURL(c, pairs...)))
	if err != nil {
		return "", err
	}
	if p.Away == nil {
		return "", fmt.Errorf("still on %s, status %d:\n%s", p.At, p.Status, p.Body)
	}
	code := p.Away.Query().Get("code")
	if code == "" {
		return "", fmt.Errorf("no code in %s", p.Away)
	}
	return code, nil
}

// code is tryCode, which must succeed.
func (v *visitor) code(c client, pairs ...string) string {
	v.Helper()
	code, err := v.tryCode(c, pairs...)
	v.must(err)
	return code
}

// tokens runs the whole code flow.
func (v *visitor) tokens(c client, pairs ...string) answer {
	v.Helper()
	got := v.redeem(c, v.code(c, pairs...))
	if got.Status != http.StatusOK {
		v.Fatalf("status %d: %s", got.Status, got.Body)
	}
	return got
}
