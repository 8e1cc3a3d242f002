package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// respelled returns texts that a lenient reader of base64url takes for the same
// bytes, by what was done to them.
func respelled(text string) map[string]string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	all := map[string]string{
		"a line break behind": text + "\n", "a line break before": "\n" + text, "CR LF inside": text[:4] + "\r\n" + text[4:],
		"padding": text + "=", "a blank behind": text + " ", "a tab before": "\t" + text,
	}
	parts := strings.Split(text, ".")
	for i, part := range parts {
		if len(part)%4 < 2 {
			continue // every bit of it stands for something
		}
		last := len(part) - 1
		other := append([]string{}, parts...)
		other[i] = part[:last] + string(alphabet[strings.IndexByte(alphabet, part[last])^1])
		all["spare bits in part "+strconv.Itoa(i+1)] = strings.Join(other, ".")
	}
	return all
}

// hasOneSpelling checks that the text works as it is, and in no other spelling.
// What works but once comes here as good as what works for ever.
func (s *site) hasOneSpelling(what, text string, works func(text string) bool) {
	s.Helper()
	for name, other := range respelled(text) {
		if works(other) {
			s.Errorf("%s works with %s", what, name)
		}
	}
	if !works(text) {
		s.Errorf("%s does not work as it was given: %s", what, text)
	}
}

// Rule: TOKEN-32
func TestTokensHaveOneSpelling(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	v, c := s.visitor("person@example.test"), s.client("--redirect-uri", callback, "--post-logout-uri", callback+"/bye")
	given := v.tokens(c, "scope", "openid email offline_access")
	isActive := func(text string) bool {
		return s.send(introspectPath, c, "token", text).object(t)["active"] == true
	}
	s.hasOneSpelling("an access token", given.text("access_token"), func(text string) bool {
		got := s.send(userInfoPath, client{}, "access_token", text)
		return isActive(text) || got.Status == http.StatusOK
	})
	s.hasOneSpelling("a refresh token", given.text("refresh_token"), isActive)
	s.hasOneSpelling("a refresh token that is used", given.text("refresh_token"), func(text string) bool {
		return s.refresh(c, text).Status == http.StatusOK
	})
	s.hasOneSpelling("an ID token as a hint", given.text("id_token"), func(text string) bool {
		p, err := s.visitor("x").open(s.URL + logoutPath + "?" +
			form("id_token_hint", text, "post_logout_redirect_uri", callback+"/bye").Encode())
		s.must(err)
		return p.Away != nil
	})
	s.hasOneSpelling("a code", v.code(c), func(text string) bool { return s.redeem(c, text).Status == http.StatusOK })
	r := s.robot()
	s.hasOneSpelling("an assertion", r.sign("once"),
		func(text string) bool { return r.exchange(text).Status == http.StatusOK })
}

// Rule: TOKEN-32
func TestWhatBrowsersCarryHasOneSpelling(t *testing.T) {
	f := furnish(t, sqliteURL(t), nil)
	setUp := func(path string) bool { return f.visitor("x").fetch("GET", path).Status == http.StatusOK }
	link := f.reset[len("/password?link="):]
	f.hasOneSpelling("a one-time link", link,
		func(text string) bool { return setUp("/password?" + form("link", text).Encode()) })

	at, err := url.Parse(f.URL)
	f.must(err)
	for _, cookie := range f.admin.http.Jar.Cookies(at) {
		if cookie.Name != "portico" {
			continue
		}
		f.hasOneSpelling("a session", cookie.Value, func(text string) bool {
			if strings.ContainsAny(text, "\r\n\t ") {
				return false // no header can carry it, or Go trims it
			}
			return f.visitor("x").fetch("GET", "/apps", "Cookie", cookie.Name+"="+text).Status == http.StatusOK
		})
	}

	consent, err := f.admin.open(f.URL + f.consentPath())
	f.must(err)
	_, fields, err := consent.form("consent-form")
	f.must(err)
	f.hasOneSpelling("the seal of a consent page", fields.Get("seal"), func(text string) bool {
		p, err := f.admin.submit(consent, "consent-form", form("decision", "allow", "seal", text))
		f.must(err)
		return p.Away != nil
	})

	try, err := url.Parse(f.admin.press("/apps/"+f.web["clientId"]+"/try", "scopes.openid", "on").Header.Get("Location"))
	f.must(err)
	back, ticket, _ := strings.Cut(try.Query().Get("redirect_uri"), "?ticket=")
	f.hasOneSpelling("the ticket of a try-out", ticket, func(text string) bool {
		query := try.Query()
		query.Set("redirect_uri", back+"?"+form("ticket", text).Encode())
		return f.admin.fetch("GET", try.Path+"?"+query.Encode()).Status == http.StatusFound
	})
}

// Rule: TOKEN-32
func TestTheSetUpLinkHasOneSpelling(t *testing.T) {
	s := newSite(t, "sqlite:"+filepath.Join(t.TempDir(), "portico.db"))
	s.spawn()
	text, err := os.ReadFile(filepath.Join(s.dataDir(), "setup-url"))
	s.must(err)
	link, err := url.Parse(strings.TrimSpace(string(text)))
	s.must(err)
	s.hasOneSpelling("the set-up link", link.Query().Get("link"), func(text string) bool {
		return s.visitor("x").fetch("GET", link.Path+"?"+form("link", text).Encode()).Status == http.StatusOK
	})
}

// Rule: TOKEN-32
func TestCursorsAndSignedAddressesHaveOneSpelling(t *testing.T) {
	const signed = "/oss/v2/signed/"
	q := newQuay(t, sqliteURL(t), false)
	c := q.reserve("one.txt")
	before, ticket, _ := strings.Cut(q.ask(c, "1", "1").URLs[0], signed)
	q.hasOneSpelling("an address to upload to", ticket, func(text string) bool {
		return q.answers(http.MethodPut, before+signed+url.PathEscape(text), "bytes") == http.StatusOK
	})
	q.complete(c, fmt.Sprintf("%x", sha256.Sum256([]byte("bytes"))))
	q.item(c, "one.txt")
	got, _ := q.insist(http.MethodGet, c.path+"/signeds3download", http.StatusOK, nil)
	var download struct{ URL string }
	q.must(json.Unmarshal([]byte(got.Body), &download))
	before, ticket, _ = strings.Cut(download.URL, signed)
	q.hasOneSpelling("an address to download from", ticket, func(text string) bool {
		return q.answers(http.MethodGet, before+signed+url.PathEscape(text), "") == http.StatusOK
	})

	contents := q.at("folders", folderURN(q.files)) + "/contents"
	got, _ = q.insist(http.MethodGet, contents+"?page[limit]=1", http.StatusOK, nil)
	var listed struct {
		Links struct{ Next struct{ Href string } }
	}
	q.must(json.Unmarshal([]byte(got.Body), &listed))
	next, err := url.Parse(listed.Links.Next.Href)
	q.must(err)
	q.hasOneSpelling("the cursor of a list", next.Query().Get("page[cursor]"), func(text string) bool {
		query := next.Query()
		query.Set("page[cursor]", text)
		return q.answers(http.MethodGet, q.URL+next.Path+"?"+query.Encode(), "") == http.StatusOK
	})

	got, _ = q.insist(http.MethodGet, q.all("changes"), http.StatusOK, nil)
	var feed struct{ Meta struct{ Cursor string } }
	q.must(json.Unmarshal([]byte(got.Body), &feed))
	q.hasOneSpelling("the cursor of the feed", feed.Meta.Cursor, func(text string) bool {
		return q.answers(http.MethodGet, q.URL+q.all("changes")+"?"+form("cursor", text).Encode(), "") == http.StatusOK
	})
}

// answers returns the status of a request with the yard's token.
func (q *quay) answers(method, address, body string) int {
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	q.must(err)
	r.Header.Set("Authorization", "Bearer "+q.token)
	got, err := try(q.plain, r)
	q.must(err)
	return got.Status
}
