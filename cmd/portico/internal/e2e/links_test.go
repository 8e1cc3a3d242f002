package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/smtptest"
)

// who is whose pages the visitor sees; nobody's: empty.
func (v *visitor) who() string {
	v.Helper()
	got := v.fetch("GET", "/account/address")
	for _, email := range []string{"victim@example.test", "attacker@example.test"} {
		if got.Status == http.StatusOK && strings.Contains(got.Body, email) {
			return email
		}
	}
	return ""
}

// Rule: SIGNIN-16
func TestALinkSignsNobodyInWhoeverFollowsIt(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		mails := smtptest.Start(t)
		s := start(t, database, "SMTP_URL="+mails.URL(), "SIGNUP=open")
		s.person("victim@example.test")
		s.person("attacker@example.test")
		attacker := s.signedIn("attacker@example.test")
		mailed := func(to string) string { return s.linkIn(s.mailbox(mails, to, 0)) }
		for name, link := range map[string]func() string{
			"a lost password": func() string {
				seen := len(mails.To("attacker@example.test"))
				attacker.asks("/forgotten", "forgotten-form", "attacker@example.test")
				return s.linkIn(s.mailbox(mails, "attacker@example.test", seen))
			},
			"handed over": func() string {
				var made struct{ URL string }
				s.commandJSON(&made, "", "user", "password-link", "attacker@example.test")
				return made.URL
			},
			"signing up": func() string {
				s.visitor("").asks("/sign-up", "sign-up-form", "attackers-new@example.test")
				return mailed("attackers-new@example.test")
			},
			"an invitation": func() string {
				s.command("", "user", "invite", "attackers-friend@example.test")
				return mailed("attackers-friend@example.test")
			},
			"another address": func() string {
				s.signedIn("attacker@example.test").press("/account/address", "email", "attackers-next@example.test")
				return mailed("attackers-next@example.test")
			},
		} {
			victim, nobody := s.signedIn("victim@example.test"), s.visitor("")
			to := link()
			for _, v := range []*visitor{victim, nobody} {
				before := v.who()
				p, err := v.open(to)
				s.must(err)
				if p.Status != http.StatusOK {
					t.Fatalf("%s: the link answers %d\n%s", name, p.Status, p.Body)
				}
				if now := v.who(); now != before {
					t.Errorf("%s: following the link makes %q of %q", name, now, before)
				}
			}
			p, err := nobody.open(to)
			s.must(err)
			id := "password-form"
			if strings.Contains(p.Body, `id="address-form"`) {
				id = "address-form"
			}
			p, err = nobody.submit(p, id, form("name", "New", "password", password, "again", password))
			if err != nil || p.Status != http.StatusOK {
				t.Errorf("%s: using the link: %d %v\n%s", name, p.Status, err, p.Body)
			}
			for _, again := range []*visitor{nobody, victim} {
				if p, err := again.open(to); err != nil || p.Status != http.StatusGone {
					t.Errorf("%s: the link that was used answers %d %v", name, p.Status, err)
				}
				if got := again.press(strings.TrimPrefix(to, s.URL), "name", "Evil", "password", otherPassword, "again",
					otherPassword); got.Status != http.StatusGone {
					t.Errorf("%s: its form, sent once more, is answered with %d", name, got.Status)
				}
			}
			if nobody.who() != "" || victim.who() != "victim@example.test" {
				t.Errorf("%s: using the link makes somebody of %q", name, nobody.who())
			}
		}
		if s.signedIn("attacker@example.test").who() != "attacker@example.test" {
			t.Error("whose pages these are is not seen")
		}
	})
}
