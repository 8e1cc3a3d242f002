package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/portico-id/portico/internal/harness/smtptest"
)

// Rules: MAIL-4, MAIL-5
func TestAdministratorsSeeWhatBecameOfMails(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		s.person("dev@example.test")
		admin := s.signedIn("admin@example.test")
		page, err := admin.open(s.URL + "/admin/mail")
		s.must(err)
		if !strings.Contains(page.Body, `id="no-server"`) {
			t.Errorf("the page does not say that nobody gets mail:\n%s", page.Body)
		}
		if got := admin.press("/admin/mail/test"); got.Status != http.StatusSeeOther {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		var files []string
		s.eventually("the mail lies in a file", func() bool {
			files, _ = filepath.Glob(filepath.Join(s.dataDir(), "mail", "*.eml"))
			return len(files) == 1
		})
		if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), "admin@example.test") {
			t.Errorf("%v\n%s", err, text)
		}
		developer := s.signedIn("dev@example.test")
		if page, err = developer.open(s.URL + "/admin/mail"); err != nil || page.Status != http.StatusForbidden {
			t.Errorf("somebody else: %d %v", page.Status, err)
		}
	})
}

// Rule: MAIL-4
func TestWithoutAMailServerNoPageSaysThatAMailIsOnItsWay(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("dev@example.test")
		developer := s.signedIn("dev@example.test")
		sent := developer.press("/account/address", "email", "new@example.test")
		page, err := developer.open(s.URL + sent.Header.Get("Location"))
		s.must(err)
		if sent.Status != http.StatusSeeOther || strings.Contains(page.Body, "on its way") ||
			!strings.Contains(page.Body, "nobody gets mail") {
			t.Errorf("%d, and then %d\n%s", sent.Status, page.Status, page.Body)
		}
	})
}

// Rule: MAIL-5
func TestTheMailOperationsOfTheAdministrationAPI(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	server.Refuse["admin@example.test"] = &smtp.SMTPError{Code: 550, Message: "No such mailbox."}
	s := start(t, sqliteURL(t), "SMTP_URL="+server.URL())
	s.person("admin@example.test", "--admin")
	tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
	admin := s.visitor("admin@example.test").withPassword()
	token := admin.tokens(tool, "scope", "openid account:read account:write").text("access_token")
	if got := s.api(token, "POST", "/mails/test", ""); got.Status != http.StatusNoContent {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	list := func() string { return s.api(token, "GET", "/mails?to=ADMIN@example.test", "").Body }
	s.eventually("the mail is refused", func() bool { return strings.Contains(list(), `"state":"failed"`) })
	for _, part := range []string{`"kind":"test"`, `"last_status":550`, "No such mailbox."} {
		if !strings.Contains(list(), part) {
			t.Errorf("%s lacks %s", list(), part)
		}
	}
	if got := s.api(token, "GET", "/mails?to=other@example.test", "").Body; !strings.Contains(got, `"items":[]`) {
		t.Errorf("mails to somebody else: %s", got)
	}
	server.Change(func() { clear(server.Refuse) })
	if got := s.api(token, "POST", "/mails/1/resend", ""); got.Status != http.StatusNoContent {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	s.eventually("the mail arrives", func() bool { return len(server.To("admin@example.test")) == 1 })
	s.eventually("that is noted", func() bool { return strings.Contains(list(), `"state":"delivered"`) })
	for id, want := range map[string]int{"1": 409, "99": 404, "x": 404} {
		if got := s.api(token, "POST", "/mails/"+id+"/resend", ""); got.Status != want {
			t.Errorf("mail %s: %d %s", id, got.Status, got.Body)
		}
	}
	page, err := s.signedIn("admin@example.test").open(s.URL + "/admin/mail")
	s.must(err)
	if !strings.Contains(page.Body, server.Addr()) || !strings.Contains(page.Body, "admin@example.test") ||
		strings.Contains(page.Body, "no-server") {
		t.Errorf("the page says\n%s", page.Body)
	}
	if got := s.command("", "mail", "list", "admin@example.test"); !strings.Contains(got, "delivered") {
		t.Errorf("the command says %s", got)
	}
}
