package provider_test

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// browser is a person's browser without scripts: it keeps cookies, fills forms
// and follows redirects while they stay on the server.
type browser struct {
	*world
	client *http.Client
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	w.must(err)
	return &browser{w, &http.Client{Jar: jar, CheckRedirect: plain.CheckRedirect}}
}

// visit is a page, or the address outside the server that the browser was sent
// to.
type visit struct {
	answer
	At   *url.URL // where the browser stands
	Away *url.URL // where it was sent to; nil: nowhere
}

func (b *browser) get(to string) visit {
	b.Helper()
	r, err := http.NewRequest(http.MethodGet, to, nil)
	b.must(err)
	return b.follow(r)
}

func (b *browser) follow(r *http.Request) visit {
	b.Helper()
	for range 10 {
		got := b.do(b.client, r)
		location := got.Header.Get("Location")
		if location == "" {
			return visit{answer: got, At: r.URL}
		}
		to, err := r.URL.Parse(location)
		b.must(err)
		if !strings.HasPrefix(to.String(), b.URL+"/") {
			return visit{answer: got, At: r.URL, Away: to}
		}
		r, err = http.NewRequest(http.MethodGet, to.String(), nil)
		b.must(err)
	}
	b.Fatal("ten redirects")
	return visit{}
}

// submit fills the form with the id and sends it, as the page says.
func (b *browser) submit(v visit, id string, values url.Values) visit {
	b.Helper()
	action, hidden := v.form(b, id)
	for name, value := range values {
		hidden[name] = value
	}
	to, err := v.At.Parse(action)
	b.must(err)
	r, err := http.NewRequest(http.MethodPost, to.String(), strings.NewReader(hidden.Encode()))
	b.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", b.URL)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.follow(r)
}

// form returns action and hidden fields of the form with the id.
func (v visit) form(b *browser, id string) (string, url.Values) {
	b.Helper()
	page, err := html.Parse(strings.NewReader(string(v.Body)))
	b.must(err)
	action, found, inside, fields := "", false, false, url.Values{}
	for n := range page.Descendants() {
		at := attributes(n)
		if n.Type == html.ElementNode && n.Data == "form" {
			if inside = at["id"] == id; inside {
				action, found = at["action"], true
			}
		}
		if n.Type == html.ElementNode && n.Data == "input" && at["type"] == "hidden" && inside {
			fields.Set(at["name"], at["value"])
		}
	}
	if !found {
		b.Fatalf("no form %q on %s (status %d):\n%s", id, v.At, v.Status, v.Body)
	}
	return action, fields
}

func attributes(n *html.Node) map[string]string {
	all := map[string]string{}
	for _, a := range n.Attr {
		all[a.Key] = a.Val
	}
	return all
}

// authorizeURL is the address of an authorize request for the client; pairs
// replace or add parameters, and an empty value takes one out.
func (w *world) authorizeURL(a app, pairs ...string) string {
	v := form("client_id", a.ID, "redirect_uri", callback, "response_type", "code", "scope",
		"openid", "state", "some-state")
	if len(a.RedirectURIs) > 0 {
		v.Set("redirect_uri", a.RedirectURIs[0])
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "" {
			v.Del(pairs[i])
		}
	}
	return w.URL + "/authentication/v2/authorize?" + v.Encode()
}

// through answers sign-in and consent as long as they are asked for.
func (b *browser) through(v visit, email string) visit {
	b.Helper()
	if v.Away == nil && v.At.Path == "/login" {
		v = b.submit(v, "login-form", form("username", email, "password", goodPassword))
	}
	if v.Away == nil && v.At.Path == "/consent" {
		v = b.submit(v, "consent-form", form("decision", "allow"))
	}
	return v
}

// code runs an authorize request to its code.
func (b *browser) code(a app, email string, pairs ...string) string {
	b.Helper()
	v := b.through(b.get(b.authorizeURL(a, pairs...)), email)
	if v.Away == nil {
		b.Fatalf("still on %s, status %d:\n%s", v.At, v.Status, v.Body)
	}
	code := v.Away.Query().Get("code")
	if code == "" {
		b.Fatalf("no code in %s", v.Away)
	}
	return code
}

// redeem exchanges a code for tokens.
func (w *world) redeem(a app, code string, pairs ...string) answer {
	w.Helper()
	f := form("grant_type", "authorization_code", "code", code, "redirect_uri", a.RedirectURIs[0])
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return w.token(a, f)
}

// tokens runs the whole code flow.
func (b *browser) tokens(a app, email string, pairs ...string) map[string]any {
	b.Helper()
	got := b.redeem(a, b.code(a, email, pairs...))
	if got.Status != http.StatusOK {
		b.Fatalf("status %d: %s", got.Status, got.Body)
	}
	return got.JSON(b)
}
