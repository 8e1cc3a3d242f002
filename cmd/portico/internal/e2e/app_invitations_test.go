package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/smtptest"
)

// invites has somebody manage an app of the visitor's, who accepts.
func (v *visitor) invites(app string, who *visitor) {
	v.Helper()
	if got := v.press("/apps/"+app+"/members", "member", who.email); got.Status != http.StatusSeeOther {
		v.Fatalf("inviting %s: %d\n%s", who.email, got.Status, got.Body)
	}
	who.accepts()
}

// accepts the first invitation to an app.
func (v *visitor) accepts() {
	v.Helper()
	id := inner(v.fetch("GET", "/apps").Body, `"`, `id="accept-`)
	if got := v.press("/apps/invitations/" + id + "/accept"); id == "" || got.Status != http.StatusSeeOther {
		v.Fatalf("accepting %q: %d\n%s", id, got.Status, got.Body)
	}
}

// Rules: PORTAL-23, PORTAL-24
func TestWhoIsInvitedToAnAppManagesItOnceTheyAccept(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	s := start(t, sqliteURL(t), "SIGNUP=invite", "SMTP_URL="+server.URL())
	s.person("dev@example.test")
	s.person("known@example.test")
	s.command("", "user", "update", "known@example.test", "--set", "name=Known Person")
	dev, known := s.signedIn("dev@example.test"), s.signedIn("known@example.test")
	app, _ := dev.registered("web", "name", "Shared App")
	for _, address := range []string{"known@example.test", "new@example.test"} {
		if got := dev.press("/apps/"+app+"/members", "member", address); got.Status != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", address, got.Status, got.Body)
		}
	}
	if got := dev.fetch("GET", "/apps/"+app).Body; strings.Contains(got, "Known Person") ||
		!strings.Contains(got, "known@example.test") || !strings.Contains(got, "new@example.test") {
		t.Errorf("before anybody accepts:\n%s", inner(got, "</section>", `id="members"`))
	}
	notThere(t, "before accepting", known.fetch("GET", "/apps/"+app))
	s.eventually("a mail that leads to the page", func() bool {
		return slices.ContainsFunc(server.To("known@example.test"), func(m smtptest.Mail) bool {
			return m.Subject == "You are asked to manage an app" && s.linkIn(m) == s.URL+"/apps"
		})
	})
	dev.press("/apps/invitations/" + inner(known.fetch("GET", "/apps").Body, `"`, `id="accept-`) + "/accept")
	notThere(t, "after somebody else accepts", known.fetch("GET", "/apps/"+app))
	known.accepts()
	if got := known.fetch("GET", "/apps/"+app); got.Status != http.StatusOK ||
		!strings.Contains(dev.fetch("GET", "/apps/"+app).Body, "Known Person") {
		t.Errorf("after: %d\n%s", got.Status, got.Body)
	}
	link := s.linkIn(s.mailbox(server, "new@example.test", 0))
	newcomer := s.visitor("new@example.test")
	newcomer.chooses(link, "New Person", otherPassword)
	newcomer.password = otherPassword
	_, err := newcomer.through(newcomer.open(s.URL + "/apps"))
	s.must(err)
	newcomer.accepts()
	if got := newcomer.fetch("GET", "/apps/"+app); got.Status != http.StatusOK {
		t.Errorf("who had no account: %d\n%s", got.Status, got.Body)
	}
}
