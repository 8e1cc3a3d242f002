package mail_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/freeport"
	"github.com/portico-id/portico/internal/harness/smtptest"
	"github.com/portico-id/portico/internal/mail"
	"github.com/portico-id/portico/internal/sealing"
)

func message(to string) mail.Message {
	return mail.Message{ID: "M1", To: to, Subject: "Größe", Text: "Text.", HTML: "<p>Text.</p>",
		At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
}

func newSMTP(t *testing.T, url string) mail.Carrier {
	t.Helper()
	carrier, err := mail.NewSMTP(sealing.Secret(url), "Portico <no-reply@id.example.test>")
	if err != nil {
		t.Fatal(err)
	}
	return carrier
}

func failureOf(t *testing.T, err error) *mail.Failure {
	t.Helper()
	var failure *mail.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("%v is no failure", err)
	}
	return failure
}

func TestAMailServerMayWantUserAndPassword(t *testing.T) {
	server := smtptest.Start(t)
	server.Login = "portico:right"
	if err := newSMTP(t, server.URL()).Carry(t.Context(), message("mary@example.test")); err != nil {
		t.Error(err)
	}
	if got := server.Mails(); len(got) != 1 || got[0].Subject != "Größe" ||
		got[0].Header.Get("From") != `"Portico" <no-reply@id.example.test>` {
		t.Errorf("%+v", got)
	}
	f := failureOf(t, newSMTP(t, "smtp://portico:wrong@"+server.Addr()).Carry(t.Context(), message("mary@example.test")))
	if !f.Unreached || f.Final || strings.Contains(f.Error(), "wrong") || !strings.Contains(f.Detail, "535") {
		t.Errorf("%+v", f)
	}
	f = failureOf(t, newSMTP(t, "smtp://"+server.Addr()).Carry(t.Context(), message("mary@example.test")))
	if f.Final || f.Status != 502 { // for the administrator to mend
		t.Errorf("%+v", f)
	}
}

func TestAServerThatDoesNotAnswerIsLeftAfterAWhile(t *testing.T) {
	if f := failureOf(t, newSMTP(t, "smtp://"+freeport.Address(t)).Carry(t.Context(),
		message("a@b.test"))); !f.Unreached || f.Unclear {
		t.Errorf("%+v", f)
	}
}

func TestAConnectionThatBreaksAfterTheMailLeavesItUnclear(t *testing.T) {
	server := smtptest.Start(t)
	server.Took = func(smtptest.Mail) { go server.Stop(); time.Sleep(time.Second) }
	f := failureOf(t, newSMTP(t, server.URL()).Carry(t.Context(), message("mary@example.test")))
	if !f.Unclear || f.Final {
		t.Errorf("%+v", f)
	}
}

func TestPasswordsGoNowhereUnencrypted(t *testing.T) {
	for _, url := range []string{"smtp://", "smtp://host:0", "smtp://host:x", "http//host"} {
		if _, err := mail.NewSMTP(sealing.Secret(url), "a@b.test"); err == nil {
			t.Errorf("%s is taken", url)
		}
	}
	server := smtptest.Start(t)
	server.Login = "portico:right"
	_, port, _ := net.SplitHostPort(server.Addr())
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	f := failureOf(t, newSMTP(t, "smtp://portico:right@"+host+":"+port).Carry(t.Context(), message("mary@example.test")))
	if !f.Unreached || len(server.Mails()) > 0 {
		t.Errorf("%+v, %v", f, server.Mails())
	}
}

// Rule: MAIL-4
func TestWithoutAMailServerMailsLieInFilesOfOurOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mail")
	carrier, err := mail.NewFiles(dir, "Portico <no-reply@id.example.test>")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := carrier.Carry(t.Context(), message("mary@example.test")); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "20260304-050607-M1.eml" {
		t.Fatal(files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(raw), "To: <mary@example.test>") {
		t.Errorf("%v\n%s", err, raw)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if f := failureOf(t, carrier.Carry(t.Context(), message("mary@example.test, victim@example.test"))); !f.Final {
		t.Errorf("%+v", f)
	}
}
