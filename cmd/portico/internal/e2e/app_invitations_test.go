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
	s.person("named@example.test")
	s.command("", "user", "update", "named@example.test", "--set", "preferred_username=somebody")
	s.command("", "user", "update", "known@example.test", "--set", "name=Known Person")
	dev, known := s.signedIn("dev@example.test"), s.signedIn("known@example.test")
	app, _ := dev.registered("web", "name", "Shared App")
	for _, address := range []string{"known@example.test", "new@example.test", "somebody", "nobody"} {
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
	s.mailbox(server, "named@example.test", 0)
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

// Rule: PORTAL-25
func TestProgramsOfWhoManagesAnAppInviteOthersAndWhoIsInvitedAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	s.person("dev@example.test")
	s.person("asked@example.test")
	otherID := s.person("other@example.test")
	app, _ := s.signedIn("dev@example.test").registered("web", "name", "Shared App")
	tool := s.client("--redirect-uri", callback, "--first-party", "--scope", "openid account:read account:write")
	token := func(email string) string {
		return s.visitor(email).withPassword().tokens(tool, "scope", "openid account:read account:write").text("access_token")
	}
	dev, asked, other, admin := token("dev@example.test"), token("asked@example.test"), token("other@example.test"),
		token("admin@example.test")
	base := "/apps/" + app
	invite := func(by, whom string) answer {
		t.Helper()
		return s.api(by, "POST", base+"/invitations", `{"member": "`+whom+`"}`)
	}
	if got := invite(other, "asked@example.test"); got.Status != http.StatusNotFound {
		t.Errorf("who does not manage it: %d %s", got.Status, got.Body)
	}
	if got := invite(dev, "no body"); got.Status != http.StatusUnprocessableEntity ||
		got.text("code") != "invitee_invalid" {
		t.Errorf("nobody's name: %d %s", got.Status, got.Body)
	}
	id := func() string {
		t.Helper()
		got := invite(dev, "asked@example.test")
		if got.Status != http.StatusCreated {
			t.Fatalf("inviting: %d %s", got.Status, got.Body)
		}
		return got.text("id")
	}
	told := func(name string, got answer, want int) {
		t.Helper()
		if got.Status != want {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	first := id()
	told("withdrawn by a stranger", s.api(other, "DELETE", base+"/invitations/"+first, ""), http.StatusNotFound)
	told("withdrawn", s.api(dev, "DELETE", base+"/invitations/"+first, ""), http.StatusNoContent)
	told("accepted too late", s.ownAPI(asked, "POST", "/invitations/"+first+"/accept", ""), http.StatusNotFound)
	told("declined", s.ownAPI(asked, "POST", "/invitations/"+id()+"/decline", ""), http.StatusNoContent)
	third := id()
	for who, list := range map[string]answer{"who invites": s.api(dev, "GET", base+"/invitations", ""),
		"who is invited":   s.ownAPI(asked, "GET", "/invitations", ""),
		"an administrator": s.api(admin, "GET", base+"/invitations", "")} {
		if strings.Count(list.Body, `"id"`) != 1 || !strings.Contains(list.Body, third) {
			t.Errorf("%s sees %d %s", who, list.Status, list.Body)
		}
	}
	told("accepted by another", s.ownAPI(other, "POST", "/invitations/"+third+"/accept", ""), http.StatusNotFound)
	told("accepted", s.ownAPI(asked, "POST", "/invitations/"+third+"/accept", ""), http.StatusNoContent)
	told("accepted twice", s.ownAPI(asked, "POST", "/invitations/"+third+"/accept", ""), http.StatusNotFound)
	told("added by who may not", s.api(dev, "POST", base+"/members", `{"member": "other@example.test"}`),
		http.StatusForbidden)
	told("added at once", s.api(admin, "POST", base+"/members", `{"member": "other@example.test"}`), http.StatusNoContent)
	members := s.api(asked, "GET", base+"/members", "")
	if strings.Count(members.Body, `"user_id"`) != 3 {
		t.Errorf("three manage it: %d %s", members.Status, members.Body)
	}
	told("removed", s.api(asked, "DELETE", base+"/members/"+otherID, ""), http.StatusNoContent)
	told("removed from its page", s.api(other, "GET", base+"/members", ""), http.StatusNotFound)
}
