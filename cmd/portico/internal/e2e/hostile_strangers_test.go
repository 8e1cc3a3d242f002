package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/emersion/go-smtp"
	"golang.org/x/oauth2"

	"github.com/portico-id/portico/internal/harness/smtptest"
	"github.com/portico-id/portico/provider/clientprofile"
)

// strangers are those who tell a site something without having a page of it: what each of
// them said, and the pages on which that is to be read.
type strangers struct {
	*site
	t       *testing.T
	admin   *visitor
	mails   *smtptest.Server
	shown   map[string][]string // by what was said
	letters map[string]string   // likewise
}

func newStrangers(t *testing.T) *strangers {
	t.Helper()
	documents := newDocumentsOf(t, shorter("document.name"))
	s := &strangers{t: t, mails: smtptest.Start(t), shown: map[string][]string{}}
	s.site = newSite(t, sqliteURL(t), "SMTP_URL="+s.mails.URL(), documents.trust)
	s.spawn()
	s.person("admin@example.test", "--admin")
	s.admin = s.signedIn("admin@example.test")
	s.command("", "policy", "set", "dynamic_registration=open", "metadata_documents=all")
	s.registers()
	s.described(documents)
	s.vouchedFor()
	s.directed()
	s.device()
	s.refuses()
	return s
}

// says has the text be looked for on the pages.
func (s *strangers) says(text string, pages ...string) {
	s.shown[text] = append(s.shown[text], pages...)
}

// asked is the page on which an app without a secret asks for access.
func (s *strangers) asked(c client) string {
	s.Helper()
	p, err := s.admin.open(s.authorizeURL(c, "scope", "openid", "code_challenge_method", "S256", "code_challenge",
		oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())))
	s.must(err)
	if p.At.Path != "/consent" {
		s.Fatalf("at %s: %s", p.At, p.Body)
	}
	return p.At.RequestURI()
}

// registers is an app that registers itself.
func (s *strangers) registers() {
	body := must(json.Marshal(map[string]any{"redirect_uris": []string{anyPort}, "token_endpoint_auth_method": "none",
		"client_name": shorter("registered.name"), "software_id": shorter("registered.software"),
		"software_version": shorter("registered.version")}))
	var got answer
	s.eventually("the server has heard that apps register themselves", func() bool {
		got = s.bearing("", "POST", "/authentication/v2/register", string(body))
		return got.Status != http.StatusForbidden
	})
	if got.Status != http.StatusCreated {
		s.Fatalf("%d %s", got.Status, got.Body)
	}
	id := got.text("client_id")
	s.says(shorter("registered.name"), "/admin/registrations", "/admin/apps", "/admin/apps/"+id,
		"/admin/apps/"+id+"/delete",
		s.asked(client{ID: id, RedirectURIs: []string{anyPort}}))
}

// described is an app that a document elsewhere describes.
func (s *strangers) described(all documents) {
	c := client{ID: all.base + "/app", RedirectURIs: []string{anyPort}}
	s.says(shorter("document.name"), s.asked(c), "/admin/apps", "/admin/apps/"+clientprofile.ID(c.ID))
}

// vouchedFor is a person of another server, on which they are called as they like.
func (s *strangers) vouchedFor() {
	s.Helper()
	near := start(s.t, sqliteURL(s.t))
	near.person("far@far.test")
	near.command("", "user", "update", "far@far.test", "--set", "name="+shorter("upstream.name"),
		"--set", "given_name="+shorter("upstream.given"))
	there := near.client("--redirect-uri", s.URL+"/login/upstream/near/callback", "--scope", "openid email profile")
	s.admin.press("/admin/upstreams", "id", "near", "preset", "oidc", "issuer", near.URL, "client_id", there.ID,
		"secret", there.Secret, "networks", "127.0.0.0/8")
	s.command("", "upstream", "set", "near", "join=open", "trust_email=true", "name="+shorter("upstream.title"))
	person := s.visitor("far@far.test")
	out, err := person.open(s.URL + "/login/upstream/near")
	s.must(err)
	elsewhere := near.visitor("far@far.test")
	back, err := elsewhere.through(elsewhere.open(out.Away.String()))
	s.must(err)
	p, err := person.open(back.Away.String())
	s.must(err)
	if p.Status != http.StatusOK || p.At.Path != "/" || !strings.Contains(p.Body, "upstream.name") {
		s.Fatalf("%d on %s\n%s", p.Status, p.At, p.Body)
	}
	var made struct{ ID string }
	s.commandJSON(&made, "", "user", "show", "far@far.test")
	id := made.ID
	s.says(shorter("upstream.name"), "/admin/users", "/admin/users/"+id, "/admin/users/"+id+"/edit",
		"/admin/users/"+id+"/delete")
	s.says(shorter("upstream.given"), "/admin/users/"+id+"/edit")
	s.says(shorter("upstream.title"), "/admin/upstreams", "/admin/upstreams/near", "/admin/upstreams/near/disable",
		"/account/identities")
}

// directed are people and a group as a company has them.
func (s *strangers) directed() {
	works := s.company(shorter("company.name"), "works.test")
	text := func(v any) string { return string(must(json.Marshal(v))) }
	person := works.ask(201, "POST", "/Users", text(map[string]any{"userName": shorter("scim.login"),
		"displayName": shorter("scim.name"), "title": shorter("scim.title"),
		"emails": []map[string]any{{"value": "ann@works.test", "primary": true}}})).text("id")
	group := works.ask(201, "POST", "/Groups", text(map[string]any{"displayName": shorter("scim.group"),
		"members": []map[string]any{{"value": person}}})).text("id")
	works.ask(409, "POST", "/Groups", text(map[string]any{"displayName": shorter("scim.group")}))
	s.says(shorter("scim.name"), "/admin/users", "/admin/users/"+person, "/admin/users/"+person+"/edit",
		"/admin/groups/"+group)
	s.says(shorter("scim.title"), "/admin/users/"+person)
	s.says(shorter("scim.group"), "/admin/groups", "/admin/groups/"+group, "/admin/users/"+person)
	s.says(shorter("company.name"), "/admin/connections", "/admin/connections/"+works.id, "/admin/users/"+person)
	s.eventually("the calls of the company", func() bool {
		return strings.Contains(s.admin.fetch("GET", "/admin/connections/"+works.id).Body, "scim.login")
	})
	s.says(shorter("scim.login"), "/admin/connections/"+works.id)
}

// passkeyLabel is hostile text that fits where sixty characters do.
const passkeyLabel = `"'><svg onload=alert(1)>{{7*7}} passkey.label`

// device is what calls itself as it likes, and a passkey with a name.
func (s *strangers) device() {
	s.admin.addsPasskeyNamed(passkeyLabel)
	s.says(passkeyLabel, securityPath, securityPath+"/passkey/"+s.admin.passkeyID())
	v := s.visitor("admin@example.test")
	v.recovery = s.admin.recovery
	v.http.Transport = agent{v.http.Transport, shorter("device.name")}
	_, err := v.through(v.open(s.URL + "/apps"))
	s.must(err)
	s.says(shorter("device.name"), "/account/sessions")
	s.letters = s.told(shorter("device.name"), passkeyLabel)
}

// refuses is a mail server, which answers as it likes.
func (s *strangers) refuses() {
	s.mails.Change(func() {
		s.mails.Refuse["admin@example.test"] = &smtp.SMTPError{Code: 550, Message: shorter("reply")}
	})
	s.admin.press("/admin/mail/test")
	s.eventually("a mail is refused", func() bool {
		return strings.Contains(s.admin.fetch("GET", "/admin/mail").Body, "/resend")
	})
	s.says(shorter("reply"), "/admin/mail")
}

// told are the mails that tell the administrator of the texts, by those.
func (s *strangers) told(all ...string) map[string]string {
	s.Helper()
	letters := map[string]string{}
	s.eventually("the letters", func() bool {
		for _, m := range s.mails.To("admin@example.test") {
			for _, text := range all {
				if strings.Contains(m.Text, text) {
					letters[text] = m.HTML
				}
			}
		}
		return len(letters) == len(all)
	})
	return letters
}

// What others say of themselves without a page of their own: apps that register themselves
// or that a document describes, providers, companies, mail servers, devices.
//
// Rule: PORTAL-13
func TestTextOfStrangersIsNeverAProgramOnAPageOrInALetter(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	s := newStrangers(t)
	b := newTab(t, browser, true)
	b.continues(s.admin)
	heard := &dialogs{ctx: b.whole}
	if err := chromedp.Listen(b.whole, heard.hear); err != nil {
		t.Fatal(err)
	}
	for text, pages := range s.shown {
		for _, path := range pages {
			b.open(s.URL + path)
			b.showsAsItIs(path, text)
		}
	}
	for text, letter := range s.letters {
		b.reads(letter, text)
	}
	if said := heard.all(); len(said) > 0 {
		t.Errorf("scripts ran: %q", said)
	}
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`alert("heard"); true`)); err != nil {
		t.Fatal(err)
	}
	if said := heard.all(); len(said) != 1 {
		t.Errorf("a script that runs is heard as %q", said)
	}
}

// showsAsItIs fails where one of the texts is not on the page, or is more than text.
func (b *tab) showsAsItIs(page string, texts ...string) {
	b.Helper()
	got := b.seen()
	for _, text := range texts {
		if !strings.Contains(got.Text, text) {
			b.Errorf("%s is not shown as it is on %s:\n%s", text, page, got.Text)
		}
	}
	for _, element := range got.Strange {
		b.Errorf("%s: %s", page, element)
	}
}

// reads opens a letter as a mail program that shows everything would.
func (b *tab) reads(letter, text string) {
	b.Helper()
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, letter)
	}))
	defer served.Close()
	b.open(served.URL)
	said, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.textContent"))
	if err != nil || !strings.Contains(said, text) {
		b.Errorf("%s is not in the letter as it is, %v:\n%s", text, err, said)
	}
	strange, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`[...document.querySelectorAll(
		"[onerror],[onload],script,svg,img,iframe,object,embed,base")].map(e => e.outerHTML).join()`))
	if err != nil || strange != "" {
		b.Errorf("%s in a letter: %s %v", text, strange, err)
	}
}
