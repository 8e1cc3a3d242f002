package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/portico-id/portico/internal/harness/smtptest"
)

// near adds a second site, with a mail server that refuses its administrator, and lets people
// of the first show accounts there: the first person has connected theirs, the last is about
// to. Whoever looks after it, and who sees there what the first site has not, is returned.
func (f *furnished) near(t *testing.T, connected, about *visitor) *visitor {
	t.Helper()
	mails := smtptest.Start(t)
	mails.Refuse["admin@example.test"] = &smtp.SMTPError{Code: 550, Message: "No such mailbox."}
	near := start(t, sqliteURL(t), "SMTP_URL="+mails.URL(), "SIGNUP=invite")
	near.person("admin@example.test", "--admin")
	admin := near.signedIn("admin@example.test")
	f.made(admin.press("/admin/mail/test"))
	there := near.client("--redirect-uri", f.URL+"/login/upstream/near/callback")
	f.made(f.admin.press("/admin/upstreams", "id", "near", "preset", "oidc", "issuer", near.URL, "client_id", there.ID,
		"secret", there.Secret, "networks", "127.0.0.0/8"))
	for _, who := range []*visitor{connected, about} {
		near.person(who.email)
		who.shows(near)
	}
	f.made(connected.press("/account/identities/confirm"))
	f.eventually("a mail is refused", func() bool {
		return strings.Contains(admin.fetch("GET", "/admin/mail").Body, "/resend")
	})
	return admin
}

// shows begins to connect the person's account at the other site, up to the question
// whether it is theirs.
func (v *visitor) shows(near *site) {
	v.Helper()
	out, err := v.open(v.URL + "/account/identities/connect/near")
	v.must(err)
	there := near.visitor(v.email)
	back, err := there.through(there.open(out.Away.String()))
	v.must(err)
	asked, err := v.open(back.Away.String())
	v.must(err)
	if asked.Status != http.StatusOK || asked.At.Path != identityAsked {
		v.Fatalf("%d on %s\n%s", asked.Status, asked.At, asked.Body)
	}
}

// identityAsked is where a sign-in elsewhere leads, once.
const identityAsked = "/account/identities/confirm"

// only leaves those of the forms that are sent to the paths.
func only(forms []pageForm, paths ...string) []pageForm {
	return slices.DeleteFunc(forms, func(form pageForm) bool {
		return !slices.ContainsFunc(paths, func(path string) bool { return kindOf(form.at.Path) == kindOf(path) })
	})
}
