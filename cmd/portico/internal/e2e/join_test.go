package e2e

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/smtptest"
)

// mailbox waits for the next mail to the address, beyond those that were seen.
func (s *site) mailbox(server *smtptest.Server, address string, seen int) smtptest.Mail {
	s.Helper()
	s.eventually("a mail to "+address, func() bool { return len(server.To(address)) > seen })
	return server.To(address)[seen]
}

var linkInText = regexp.MustCompile(`(?m)^https?://\S+`)

func (s *site) linkIn(m smtptest.Mail) string {
	s.Helper()
	link := linkInText.FindString(m.Text)
	if !strings.HasPrefix(link, s.URL+"/") {
		s.Fatalf("the mail leads to %q:\n%s", link, m.Text)
	}
	return link
}

// asks sends the named form of the page for an address.
func (v *visitor) asks(path, named, address string) page {
	v.Helper()
	p, err := v.open(v.URL + path)
	v.must(err)
	p, err = v.submit(p, named, form("email", address))
	v.must(err)
	return p
}

// chooses follows a link and chooses a password, and a name where one is asked.
func (v *visitor) chooses(link, name, pass string) page {
	v.Helper()
	p, err := v.open(link)
	v.must(err)
	values := form("password", pass, "again", pass)
	if strings.Contains(p.Body, `id="field-name"`) {
		values.Set("name", name)
	}
	p, err = v.submit(p, "password-form", values)
	v.must(err)
	return p
}

const otherPassword = "another horse battery staple"

// Rules: JOIN-1, JOIN-2
func TestAnybodySignsUpWhereThatIsOpen(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		server := smtptest.Start(t)
		s := start(t, database, "SMTP_URL="+server.URL(), "SIGNUP=open", "SIGNUP_DOMAINS=example.test")
		nobody := s.visitor("new@example.test")
		nobody.password = otherPassword
		if p := nobody.asks("/sign-up", "sign-up-form", "new@elsewhere.test"); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("an address of another domain: %d", p.Status)
		}
		p := nobody.asks("/sign-up", "sign-up-form", "new@example.test")
		if p.Status != http.StatusOK || p.At.RawQuery != "sent=1" {
			t.Fatalf("%d %s", p.Status, p.At)
		}
		first := s.linkIn(s.mailbox(server, "new@example.test", 0))
		nobody.asks("/sign-up", "sign-up-form", "NEW@example.test")
		s.eventually("a second link", func() bool { return len(server.Mails()) == 2 })
		link := s.linkIn(server.Mails()[1])
		if p, err := nobody.open(first); err != nil || p.Status != http.StatusGone {
			t.Errorf("the first link: %d %v", p.Status, err)
		}
		if p := nobody.chooses(link, "", otherPassword); p.Status != http.StatusUnprocessableEntity {
			t.Errorf("without a name: %d", p.Status)
		}
		if p := nobody.chooses(link, "<b>New</b>", otherPassword); p.At.Path != "/login" {
			t.Fatalf("finishing the account leads to %s, %d", p.At, p.Status)
		}
		if p, err := nobody.open(link); err != nil || p.Status != http.StatusGone {
			t.Errorf("the link once more: %d %v", p.Status, err)
		}
		if p, err := nobody.through(nobody.open(s.URL + "/apps")); err != nil || p.At.Path != "/apps" ||
			strings.Contains(p.Body, "<b>New") {
			t.Fatalf("signed in: %s %v", p.At, err)
		}
		var user struct {
			EmailVerified bool `json:"email_verified"`
		}
		s.commandJSON(&user, "", "user", "show", "new@example.test", "--json")
		if !user.EmailVerified {
			t.Error("the address is not verified")
		}
		nobody.asks("/sign-up", "sign-up-form", "new@example.test")
		if m := s.mailbox(server, "new@example.test", 2); m.Subject != "You have an account already" {
			t.Errorf("%q to who has an account", m.Subject)
		}
	})
}

// Rule: JOIN-1
func TestNobodySignsUpWhereThatIsClosed(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"closed", "invite"} {
		server := smtptest.Start(t)
		s := start(t, sqliteURL(t), "SMTP_URL="+server.URL(), "SIGNUP="+mode)
		s.person("dev@example.test")
		v := s.visitor("x")
		for _, r := range []answer{v.press("/sign-up", "email", "new@example.test"), v.fetch("GET", "/sign-up")} {
			if r.Status != http.StatusForbidden {
				t.Errorf("%s: %d %s", mode, r.Status, r.Body)
			}
		}
		login, err := v.open(s.URL + "/login")
		s.must(err)
		if strings.Contains(login.Body, "/sign-up") || !strings.Contains(login.Body, "/forgotten") {
			t.Errorf("%s: the sign-in page leads to the wrong pages", mode)
		}
		dev := s.signedIn("dev@example.test")
		invited := dev.press("/account/invite", "email", "friend@example.test").Status
		if want := map[string]int{"closed": http.StatusForbidden, "invite": http.StatusSeeOther}[mode]; invited != want {
			t.Errorf("%s: inviting somebody: %d", mode, invited)
		}
		if mode == "invite" {
			link := s.linkIn(s.mailbox(server, "friend@example.test", 0))
			if p := s.visitor("friend@example.test").chooses(link, "Friend", otherPassword); p.At.Path != "/login" {
				t.Errorf("accepting leads to %s", p.At)
			}
		}
	}
}

// A stranger may own the mailbox of another spelling: ß and ss are one letter where
// names are compared, and two domains.
//
// Rule: JOIN-9
func TestLinksGoToTheAddressOfTheAccountWhateverWasTyped(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		server := smtptest.Start(t)
		s := start(t, database, "SMTP_URL="+server.URL(), "SIGNUP=open")
		s.person("dev@grossbank.test")
		stranger := s.visitor("stranger")
		for i, ask := range [][2]string{{"/forgotten", "forgotten-form"}, {"/sign-up", "sign-up-form"}} {
			stranger.asks(ask[0], ask[1], "dev@großbank.test")
			s.mailbox(server, "dev@grossbank.test", i)
			if mails := server.Mails(); len(mails) != i+1 {
				t.Errorf("%s: a mail went to %s", ask[0], mails[len(mails)-1].To)
			}
		}
		stranger.asks("/sign-up", "sign-up-form", "dev@weißbank.test") // nobody has it
		s.linkIn(s.mailbox(server, "dev@xn--weibank-2va.test", 0))
	})
}

// Rules: JOIN-3, JOIN-4
func TestALostPasswordIsReplacedByALinkThatIsMailed(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		server := smtptest.Start(t)
		s := start(t, database, "SMTP_URL="+server.URL())
		s.person("dev@example.test")
		c := s.client("--redirect-uri", callback, "--scope", "openid data:read offline_access")
		v := s.signedIn("dev@example.test")
		issued := v.tokens(c, "scope", "openid data:read offline_access")
		lost := s.visitor("dev@example.test")
		lost.asks("/forgotten", "forgotten-form", "DEV@example.test")
		first := s.linkIn(s.mailbox(server, "dev@example.test", 0))
		lost.asks("/forgotten", "forgotten-form", "dev@example.test")
		link := s.linkIn(s.mailbox(server, "dev@example.test", 1))
		if p, err := lost.open(first); err != nil || p.Status != http.StatusGone {
			t.Errorf("the first link: %d %v", p.Status, err)
		}
		if p := lost.chooses(link, "", otherPassword); p.At.Path != "/login" {
			t.Fatalf("choosing a password leads to %s, %d", p.At, p.Status)
		}
		if p, err := lost.open(link); err != nil || p.Status != http.StatusGone {
			t.Errorf("the link once more: %d %v", p.Status, err)
		} else if !strings.Contains(p.Body, "under “Forgotten your password?”") {
			t.Errorf("it does not say how to come to another: %s", p.Body)
		}
		s.eventually("the access token is dead",
			func() bool { return s.userInfo(issued.text("access_token")).Status == http.StatusUnauthorized })
		if got := s.token(c, "grant_type", "refresh_token", "refresh_token",
			issued.text("refresh_token")); got.Status != http.StatusBadRequest {
			t.Errorf("the refresh token lives: %d %s", got.Status, got.Body)
		}
		if p, err := v.open(s.URL + "/apps"); err != nil || p.At.Path != "/login" {
			t.Errorf("the sign-in before goes on: %s %v", p.At, err)
		}
		if m := s.mailbox(server, "dev@example.test", 2); m.Subject != "Your password was changed" {
			t.Errorf("%q", m.Subject)
		}
		lost.password = otherPassword
		if p, err := lost.through(lost.open(s.URL + "/apps")); err != nil || p.At.Path != "/apps" {
			t.Errorf("signing in with the new password: %s %v", p.At, err)
		}
	})
}

// Rule: JOIN-4
func TestLinksInMailsBeginWithTheBaseURLWhateverTheRequestSays(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	s := start(t, sqliteURL(t), "SMTP_URL="+server.URL())
	s.person("dev@example.test")
	r, err := http.NewRequest(http.MethodPost, s.URL+"/forgotten", strings.NewReader("email=dev%40example.test"))
	s.must(err)
	r.Host = "evil.example.test"
	r.Header = http.Header{"Content-Type": {formType}, "X-Forwarded-Host": {"evil.example.test"},
		"Forwarded": {"host=evil.example.test"}}
	got, err := try(s.plain, r)
	s.must(err)
	if got.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	m := s.mailbox(server, "dev@example.test", 0)
	if s.linkIn(m); strings.Contains(m.Raw, "evil") {
		t.Errorf("the mail says\n%s", m.Raw)
	}
}

// Rule: MAIL-6
func TestMailsAreInTheLanguageOfWhoGetsThem(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	s := start(t, sqliteURL(t), "SMTP_URL="+server.URL(), "BRAND_NAME=Weber & Söhne", "SIGNUP=open")
	s.person("de@example.test")
	s.command("", "user", "update", "de@example.test", "--set", "locale=de-AT")
	s.person("fr@example.test")
	for address, want := range map[string]string{
		"de@example.test": "Wählen Sie ein neues Passwort", "fr@example.test": "Choisissez un nouveau mot de passe",
		"new@example.test": "Terminez la création de votre compte",
	} {
		path := "/forgotten"
		if address == "new@example.test" {
			path = "/sign-up"
		}
		r, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(form("email", address).Encode()))
		s.must(err)
		r.Header = http.Header{"Content-Type": {formType}, "Accept-Language": {"fr-CH, en;q=0.5"}}
		got, err := try(s.plain, r)
		s.must(err)
		if got.Status != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", address, got.Status, got.Body)
		}
		if m := s.mailbox(server, address, 0); m.Subject != want || !strings.Contains(m.Text, "Weber & Söhne") {
			t.Errorf("%s got %q\n%s", address, m.Subject, m.Text)
		}
	}
}

// Rules: JOIN-3, JOIN-5
func TestNobodyLearnsWhoHasAnAddress(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	s := start(t, sqliteURL(t), "SMTP_URL="+server.URL(), "SIGNUP=open")
	s.person("dev@example.test")
	s.person("off@example.test")
	s.command("", "user", "disable", "off@example.test")
	token := regexp.MustCompile(`form=[A-Za-z0-9_-]+`)
	for _, name := range []string{"forgotten", "sign-up"} { // who signs up has an account as soon as the mail is sent
		var said []string
		path := "/" + name
		for _, address := range []string{"dev@example.test", "nobody@example.test", "off@example.test"} {
			p := s.visitor("x").asks(path, name+"-form", address)
			said = append(said, p.At.String()+token.ReplaceAllString(p.Body, ""))
		}
		if said[0] != said[1] || said[0] != said[2] || said[0] == "" {
			t.Errorf("%s answers differently", path)
		}
		// The work of a request is one and the same row; the rest is done afterwards.
		s.eventually("all are done", func() bool { return !strings.Contains(s.command("", "mail", "list"), "waiting") })
	}
	if got := s.command("", "mail", "list"); strings.Count(got, "@example.test") != 6 {
		t.Errorf("the outbox has\n%s", got)
	}
	if n := len(server.To("nobody@example.test")); n != 1 || len(server.To("off@example.test")) != 0 { // signing up alone
		t.Errorf("%d mails to nobody", n)
	}
}

// Rule: JOIN-5
func TestMailsThatStrangersAskForAreLimited(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	s := start(t, sqliteURL(t), "SMTP_URL="+server.URL(), "RATE_LIMITS=accounts=8")
	s.person("dev@example.test")
	v := s.visitor("x")
	for i := range 10 {
		got := v.press("/forgotten", "email", "dev@example.test")
		if want := map[bool]int{true: http.StatusSeeOther, false: http.StatusTooManyRequests}[i < 8]; got.Status != want {
			t.Errorf("request %d: %d", i, got.Status)
		}
	}
	s.eventually("all are done", func() bool { return !strings.Contains(s.command("", "mail", "list"), "waiting") })
	if n := len(server.To("dev@example.test")); n > 5 || n == 0 {
		t.Errorf("%d mails within the hour", n)
	}
}

// Rule: JOIN-5
func TestNoticesUseUpNoneOfTheMailsThatSomebodyAsksFor(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	s := start(t, sqliteURL(t), "SMTP_URL="+server.URL())
	s.person("dev@example.test")
	for range 7 {
		s.signedIn("dev@example.test") // all but the first on a new device
	}
	s.eventually("six notices came", func() bool { return len(server.To("dev@example.test")) == 6 })
	s.visitor("x").press("/forgotten", "email", "dev@example.test")
	s.eventually("the link came, too", func() bool { return len(server.To("dev@example.test")) == 7 })
}

// aged moves the time of every sign-in, by microseconds.
func aged(t *testing.T, database, by string) {
	t.Helper()
	driver, source := "postgres", database
	if path, is := strings.CutPrefix(database, "sqlite:"); is {
		driver, source = "sqlite", path
	}
	execute(t, driver, source, "UPDATE login_sessions SET auth_time = auth_time "+by)
}

// Rule: JOIN-6
func TestWhoeverChangesAnAddressReadsWhereLinksGo(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		for verified, says := range map[string]string{"false": "A link goes to the new address;",
			"true": "to the new address and to this one"} {
			email := verified + "@example.test"
			s.person(email, "--email-verified="+verified)
			if got := s.signedIn(email).fetch("GET", "/account/address"); !strings.Contains(got.Body, says) {
				t.Errorf("%s: %d\n%s", email, got.Status, got.Body)
			}
		}
	})
}

// Rules: JOIN-6, JOIN-7
func TestAnAddressIsChangedWhenBothAddressesConfirmIt(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		server := smtptest.Start(t)
		s := start(t, database, "SMTP_URL="+server.URL())
		s.person("dev@example.test", "--email-verified")
		s.person("other@example.test")
		v := s.signedIn("dev@example.test")
		aged(t, database, "- 660000000") // eleven minutes
		if got := v.press("/account/address", "email", "new@example.test", "password",
			password); !strings.HasPrefix(got.Header.Get("Location"), "/login?") {
			t.Errorf("eleven minutes after signing in: %d %s", got.Status, got.Header.Get("Location"))
		}
		aged(t, database, "+ 660000000")
		ask := func(address string) {
			t.Helper()
			if got := v.press("/account/address", "email", address); got.Status != http.StatusSeeOther {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
		}
		confirm := func(link string) page {
			t.Helper()
			p, err := v.open(link)
			s.must(err)
			if p.Status != http.StatusOK {
				return p
			}
			p, err = v.submit(p, "address-form", url.Values{})
			s.must(err)
			return p
		}
		ask("new@example.test")
		toNew, toOld := s.linkIn(s.mailbox(server, "new@example.test", 0)), s.linkIn(s.mailbox(server, "dev@example.test", 0))
		if p := confirm(toNew); p.At.RawQuery != "sent=1" {
			t.Errorf("after one of them: %s %d", p.At, p.Status)
		}
		if got := s.command("", "user", "show", "dev@example.test"); !strings.Contains(got, "dev@example.test") {
			t.Error("one of two changed it")
		}
		if p := confirm(toOld); p.At.RawQuery != "sent=2" {
			t.Errorf("after both: %s %d", p.At, p.Status)
		}
		if p := confirm(toOld); p.Status != http.StatusGone {
			t.Errorf("a link once more: %d", p.Status)
		} else if !strings.Contains(p.Body, "once both were used, the address is changed") {
			t.Errorf("it does not say what is left to do: %s", p.Body)
		}
		s.command("", "user", "show", "new@example.test")
		if m := s.mailbox(server, "dev@example.test", 1); m.Subject != "The address of your account was changed" {
			t.Errorf("%q", m.Subject)
		}
		ask("other@example.test") // another's: nobody learns it here
		toOld = s.linkIn(s.mailbox(server, "new@example.test", 1))
		toNew = s.linkIn(s.mailbox(server, "other@example.test", 0))
		confirm(toOld)
		if p := confirm(toNew); p.Status != http.StatusConflict {
			t.Errorf("another's address: %d", p.Status)
		}
	})
}

// Rule: JOIN-7
func TestPeopleAreToldOfSignInsOnNewDevices(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	s := start(t, sqliteURL(t), "SMTP_URL="+server.URL())
	s.person("dev@example.test")
	known := s.signedIn("dev@example.test") // the first sign-in is nobody's surprise
	known.press("/signout")
	known.password = password
	if p, err := known.through(known.open(s.URL + "/apps")); err != nil || p.At.Path != "/apps" {
		t.Fatalf("%s %v", p.At, err)
	}
	s.signedIn("dev@example.test")
	m := s.mailbox(server, "dev@example.test", 0)
	if m.Subject != "A sign-in on a new device" || !strings.Contains(m.Text, "127.0.0.1") {
		t.Errorf("%q\n%s", m.Subject, m.Text)
	}
	time.Sleep(2 * time.Second) // what else was sent would be there
	if n := len(server.To("dev@example.test")); n != 1 {
		t.Errorf("%d mails", n)
	}
}

// Rule: JOIN-1
func TestAPersonInvitesByPageAndProgramWhereTheyMay(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	for name, test := range map[string]struct {
		settings []string
		may      bool
	}{
		"invite":       {[]string{"SIGNUP=invite", "SMTP_URL=" + server.URL()}, true},
		"open":         {[]string{"SIGNUP=open", "SMTP_URL=" + server.URL()}, true},
		"closed":       {[]string{"SMTP_URL=" + server.URL()}, false},
		"without mail": {[]string{"SIGNUP=invite"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, sqliteURL(t), test.settings...)
			s.person("dev@example.test")
			v := s.signedIn("dev@example.test")
			want := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}[test.may]
			if leads := strings.Contains(v.fetch("GET", "/").Body, `href="/account/invite"`); leads != test.may {
				t.Errorf("a link to it: %v", leads)
			}
			if got := v.fetch("GET", "/account/invite"); got.Status != want {
				t.Errorf("the page: %d", got.Status)
			}
			token := s.ownToken("dev@example.test")
			for _, address := range []string{name + "@example.test", "dev@example.test"} { // known or not
				got := s.ownAPI(token, "POST", "/people", `{"email":"`+strings.ReplaceAll(address, " ", "-")+`"}`)
				if test.may && (got.Status != http.StatusAccepted || got.Body != "") ||
					!test.may && got.Status != http.StatusForbidden {
					t.Errorf("a program invites %s: %d %s", address, got.Status, got.Body)
				}
			}
			if test.may {
				m := s.mailbox(server, name+"@example.test", 0)
				if m.Subject == "" || !strings.Contains(m.Text, "Demo Person") {
					t.Errorf("%s\n%s", m.Subject, m.Text)
				}
				if got := s.ownAPI(token, "POST", "/people", `{"email":"nothing"}`); got.Status != 422 {
					t.Errorf("no address: %d %s", got.Status, got.Body)
				}
			}
		})
	}
}

// Rule: JOIN-8
func TestInvitationsAreMailedAndSentAgain(t *testing.T) {
	t.Parallel()
	server := smtptest.Start(t)
	s := start(t, sqliteURL(t), "SMTP_URL="+server.URL())
	s.person("admin@example.test", "--admin")
	admin := s.signedIn("admin@example.test")
	if got := admin.fetch("GET", "/admin/users/new").Body; !strings.Contains(got, "a mail with a link goes to them") {
		t.Errorf("the form says how they get in otherwise\n%s", got)
	}
	if got := admin.press("/admin/users/new", "name", "New", "email",
		"new@example.test"); got.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	first := s.linkIn(s.mailbox(server, "new@example.test", 0))
	if got := s.command("", "user", "invite", "new@example.test"); !strings.Contains(got, "on its way") ||
		strings.Contains(got, "link=") {
		t.Errorf("the command says %s", got)
	}
	link := s.linkIn(s.mailbox(server, "new@example.test", 1))
	v := s.visitor("new@example.test")
	if p, err := v.open(first); err != nil || p.Status != http.StatusGone {
		t.Errorf("the first link: %d %v", p.Status, err)
	}
	if p := v.chooses(link, "New", otherPassword); p.At.Path != "/login" {
		t.Errorf("accepting leads to %s, %d", p.At, p.Status)
	}
	tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
	token := admin.tokens(tool, "scope", "openid account:read account:write").text("access_token")
	var user struct {
		ID            string
		EmailVerified bool `json:"email_verified"`
	}
	s.commandJSON(&user, "", "user", "show", "new@example.test", "--json")
	if got := s.api(token, "POST", "/users/"+user.ID+"/invitation", ""); got.Status != http.StatusConflict ||
		!user.EmailVerified {
		t.Errorf("who has accepted: %d %s, verified %v", got.Status, got.Body, user.EmailVerified)
	}
	if got := s.command("", "user", "invite", "later@example.test", "--json"); strings.Contains(got, "url") {
		t.Errorf("the link is shown though it is mailed: %s", got)
	}
	s.linkIn(s.mailbox(server, "later@example.test", 0))
}

// Rule: JOIN-5
func TestFormsThatHaveMailsSentComeFromOurPagesAlone(t *testing.T) {
	s := start(t, sqliteURL(t), "SIGNUP=open")
	for _, path := range []string{"/forgotten", "/sign-up", "/address?link=x", "/password?link=x",
		"/account/address", "/account/invite"} {
		for from, refused := range map[string]bool{"cross-site": true, "same-origin": false} {
			r, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader("email=dev%40example.test"))
			s.must(err)
			r.Header = http.Header{"Content-Type": {formType}, "Sec-Fetch-Site": {from}}
			got, err := try(s.plain, r)
			s.must(err)
			if strings.Contains(got.Body, "cross_origin") != refused || refused && got.Status != http.StatusForbidden {
				t.Errorf("%s, %s: %d", path, from, got.Status)
			}
		}
	}
}
