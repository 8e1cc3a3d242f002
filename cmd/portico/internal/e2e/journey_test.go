package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/smtptest"
)

// journey is somebody with a narrow window and a keyboard, on two servers of one database.
type journey struct {
	*tab
	t       *testing.T
	browser context.Context
	both    [2]*site
	mails   *smtptest.Server
	app     *relyingParty
	scripts bool
	present func(bool) // whether the device with passkeys answers; nil: there is none

	email, password, secret string
	codes                   []string // for recovery, not used yet
	read                    map[string]int
}

// Rules: HOME-1, HOME-5, HOME-8, HOME-10, JOIN-2, JOIN-3, FACTOR-9, FACTOR-11, FACTOR-17, FACTOR-18
func TestAPersonLooksAfterTheirAccountByKeyboard(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for name, with := range map[string]struct {
		scripts  bool
		database func(testing.TB) string
	}{"with scripts": {true, sqliteURL}, "without scripts": {false, pgtest.URL}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &journey{t: t, browser: browser, mails: smtptest.Start(t), scripts: with.scripts,
				email: "new@example.test", password: password,
				read: map[string]int{}}
			j.both = twinsOn(t, with.database(t), "SMTP_URL="+j.mails.URL(), "SIGNUP=open")
			j.app = j.both[0].relyingParty("")
			j.tab = j.window(t)
			heard := j.complaints()
			if j.scripts {
				j.present = j.device()
			}
			for _, stage := range journeyStages {
				j.patiently()
				stage.goes(j)
				t.Log(stage.name)
			}
			list := slices.DeleteFunc(heard.all(), func(line string) bool {
				return strings.Contains(line, "status of 422")
			})
			if len(list) > 0 { // beside the passwords that are wrong on purpose
				t.Errorf("the browser complained:\n%s", strings.Join(list, "\n"))
			}
		})
	}
}

// journeyStages follow one another.
var journeyStages = []struct {
	name string
	goes func(*journey)
}{
	{"signs up and proves the address", (*journey).signsUp},
	{"adds an authenticator app", (*journey).addsApp},
	{"adds a passkey", (*journey).addsKey},
	{"signs in by passkey alone", (*journey).signsInByKey},
	{"signs in with each second factor", (*journey).signsInWithEach},
	{"recovers a lost password", (*journey).recovers},
	{"withdraws an app", (*journey).withdraws},
	{"ends sessions", (*journey).endsSessions},
	{"changes the address", (*journey).movesAddress},
	{"is helped by an administrator", (*journey).isHelped},
	{"downloads what there is", (*journey).downloads},
	{"deletes the account", (*journey).deletes},
}

func (j *journey) window(t *testing.T) *tab {
	t.Helper()
	b := newTab(t, j.browser, j.scripts)
	b.look(look{"en", 360, "dark"})
	return b
}

func (j *journey) home() {
	j.Helper()
	j.open(j.both[0].URL + "/")
}

// follows opens the link of the next mail to the address.
func (j *journey) follows(address string) {
	j.Helper()
	s := j.both[0]
	for { // beside those with links are those that only tell
		m := s.mailbox(j.mails, address, j.read[address])
		j.read[address]++
		if linkInText.MatchString(m.Text) && strings.Contains(m.Text, "link=") {
			j.open(s.linkIn(m))
			return
		}
	}
}

// passes types address and password, and answers what is asked then; it ends at the
// element with the id.
func (j *journey) passes(until string, second func()) {
	j.Helper()
	j.types("username", j.email)
	j.types("password", j.password)
	j.enters("login-submit")
	if second != nil {
		j.await("code")
		second()
	}
	j.await(until)
}

// byRecovery is the second step with one of the codes.
func (j *journey) byRecovery() {
	j.Helper()
	j.types("code", j.codes[0])
	j.codes = j.codes[1:]
	j.enters("code-submit")
}

func (j *journey) leaves() {
	j.Helper()
	j.home()
	j.enters("signout")
	j.await("login-submit")
}

func (j *journey) signsUp() {
	j.open(j.both[0].URL + "/login")
	j.enters("sign-up")
	j.types("field-email", j.email)
	j.enters("sign-up-form-submit")
	j.await("joined-sent")
	j.follows(j.email)
	j.types("field-name", "New Person")
	j.types("field-password", j.password)
	j.types("field-again", j.password)
	j.enters("password-form-submit")
	j.passes("signout", nil)
}

func (j *journey) addsApp() {
	j.home()
	j.enters("sign-in-security")
	j.enters("add-authenticator")
	j.secret = j.text("secret")
	j.types("field-code", shownCode(j.secret, 0)) // which is that of before in a moment
	j.enters("authenticator-form-submit")
	j.codes = strings.Fields(j.text("revealed-recovery-codes"))
	j.enters("continue")
}

func (j *journey) addsKey() {
	j.enters("add-passkey")
	if !j.scripts {
		if said := j.text("passkey-script"); !strings.Contains(said, "authenticator app instead") {
			j.Errorf("the page says %q", said)
		}
		return
	}
	j.types("field-label", "This phone")
	j.enters("passkey-form-submit")
	j.await("done")
	if page := j.text("passkeys"); !strings.Contains(page, "This phone") || !strings.Contains(page, "never used") {
		j.Errorf("the page says %s", page)
	}
}

// signsInByKey answers the autofill of the page at once, and then the button.
func (j *journey) signsInByKey() {
	if !j.scripts {
		j.leaves()
		if said := j.text("passkey-script"); !strings.Contains(said, "allow JavaScript") {
			j.Errorf("the sign-in says %q", said)
		}
		j.passes("signout", j.byRecovery)
		return
	}
	j.home()
	j.turns("signout")
	j.await("sign-in-security")
	j.home()
	j.enters("sign-in-security")
	if page := j.text("passkeys"); !strings.Contains(page, "last used") {
		j.Errorf("after its use the page says %s", page)
	}
	j.present(false)
	j.leaves()
	j.reach("passkey-submit")
	j.present(true)
	j.enters("passkey-submit")
	j.await("signout")
	j.present(false)
}

func (j *journey) signsInWithEach() {
	ways := []func(){j.byRecovery, func() { j.types("code", shownCode(j.secret, 1)); j.enters("code-submit") }}
	if j.scripts {
		ways = append(ways, func() {
			j.reach("passkey-submit")
			j.present(true)
			j.enters("passkey-submit")
			j.present(false)
		})
	}
	for _, way := range ways {
		j.leaves()
		j.passes("signout", way)
	}
}

func (j *journey) recovers() {
	j.leaves()
	j.enters("forgotten")
	j.types("field-email", j.email)
	j.enters("forgotten-form-submit")
	j.await("joined-sent")
	j.follows(j.email)
	old := j.password
	j.password = otherPassword
	j.types("field-password", j.password)
	j.types("field-again", j.password)
	j.enters("password-form-submit")
	j.types("username", j.email)
	j.types("password", old)
	j.enters("login-submit")
	j.await("login-error")
	j.open(j.both[0].URL + "/login")
	j.passes("signout", j.byRecovery)
}

// connects signs in to the app, and returns what it got.
func (j *journey) connects() *connection {
	j.Helper()
	j.open(j.app.URL + "/start")
	j.enters("consent-allow")
	j.await("signed-in")
	tokens := j.app.result().tokens
	c := &connection{site: j.both[0], app: client{ID: j.app.config.ClientID, Secret: j.app.config.ClientSecret},
		access: tokens.AccessToken, refresh: tokens.RefreshToken}
	for i, server := range j.both {
		if c.refresh == "" || !c.alive(server) {
			j.Fatalf("server %d does not take the tokens to begin with", i)
		}
	}
	return c
}

func (j *journey) allDead(c *connection) {
	j.Helper()
	for i, server := range j.both {
		c.dead(server, "server %d goes on taking tokens", i)
	}
}

func (j *journey) withdraws() {
	c := j.connects()
	j.home()
	j.enters("connected-apps")
	j.enters(c.withdrawPath())
	j.enters("confirm-submit")
	j.await("done")
	j.allDead(c)
}

// elsewhere is another browser of the person's.
func (j *journey) elsewhere() *visitor {
	j.Helper()
	v := j.both[1].visitor(j.email)
	v.password, v.recovery = j.password, j.codes[:1]
	j.codes = j.codes[1:]
	_, err := v.through(v.open(v.URL + "/account/sessions"))
	v.must(err)
	return v
}

func (v *visitor) isIn() bool { return v.fetch("GET", "/account/sessions").Status == http.StatusOK }

func (j *journey) endsSessions() {
	others := []*visitor{j.elsewhere(), j.elsewhere()}
	j.home()
	j.enters("own-sessions")
	j.enters("session")
	j.await("done")
	j.both[0].within(time.Second, func() bool { return others[0].isIn() != others[1].isIn() },
		"of two other sign-ins one was ended, and there are %v", len(others))
	j.enters("end-others")
	j.enters("confirm-submit")
	j.await("done")
	j.both[0].within(time.Second, func() bool { return !others[0].isIn() && !others[1].isIn() }, "others live")
}

func (j *journey) movesAddress() {
	old := j.email
	j.email = "moved@example.test"
	j.home()
	j.enters("own-address")
	j.types("field-email", j.email)
	j.enters("change-address-form-submit")
	j.await("done")
	for _, address := range []string{old, j.email} {
		j.follows(address)
		j.enters("address-form-submit")
		j.await("joined-sent")
	}
	j.leaves()
	j.passes("signout", j.byRecovery)
}

// isHelped loses every factor, and an administrator, by keyboard too, removes them.
func (j *journey) isHelped() {
	s := j.both[0]
	s.person("admin@example.test", "--admin")
	admin := j.another("admin@example.test")
	admin.home()
	admin.enters("administration")
	admin.types("find", j.email)
	admin.enters("find")
	admin.enters("/admin/users/" + j.app.result().idToken.Subject)
	admin.enters("remove-factor")
	admin.enters("confirm-submit")
	admin.await("done")
	s.mailed(j.email, "factor-removed")
	j.home()
	j.await("login-submit")
	j.passes("signout", nil)
	j.enters("sign-in-security")
	j.await("add-authenticator")
}

// another is somebody else in a window of the same kind.
func (j *journey) another(email string) *journey {
	j.Helper()
	other := *j
	other.email, other.password = email, password
	other.tab = other.window(j.t)
	other.home()
	other.passes("signout", nil)
	return &other
}

func (j *journey) downloads() {
	j.home()
	j.enters("own-data")
	if profile := unzipped(j.t, j.fetched("archive"))["profile.json"]; !strings.Contains(profile, j.email) {
		j.Errorf("the archive has no profile of %s: %s", j.email, profile)
	}
}

func (j *journey) deletes() {
	c := j.connects()
	j.home()
	j.enters("delete-account")
	j.enters("leave-submit")
	if at, _ := chromedp.Run(j.ctx, chromedp.Location()); !strings.HasSuffix(at, "/account/deleted") {
		j.Errorf("it ends at %s", at)
	}
	j.allDead(c)
	j.open(j.both[0].URL + "/login")
	j.types("username", j.email)
	j.types("password", j.password)
	j.enters("login-submit")
	j.await("login-error")
}

// fetched strikes the link with the id, and returns the file that it brings.
func (b *tab) fetched(id string) string {
	b.Helper()
	dir := b.TempDir()
	if _, err := chromedp.Call(b.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
		BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID,
	}); err != nil {
		b.Fatal(err)
	}
	b.strikes(id)
	for end := time.Now().Add(patience / 2); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		files, err := filepath.Glob(filepath.Join(dir, "*.zip"))
		if err != nil || len(files) == 0 {
			continue
		}
		content, err := os.ReadFile(files[0])
		if err != nil {
			b.Fatal(err)
		}
		if len(content) > 0 { // the name is taken first, and the file that has come is moved there
			return string(content)
		}
	}
	b.Fatalf("#%s brings no file\n%s", id, b.shows())
	return ""
}

// focused says by what the element is found that the keyboard is at.
const focused = `(e => [e?.id, e?.getAttribute("href"), e?.name].filter(x => x))(document.activeElement)`

// reach goes by the keyboard to the element with the id, to the link with the address or to
// the first button with the name.
func (b *tab) reach(what string) {
	b.Helper()
	b.ready()
	b.skips(what)
	for range 120 {
		at, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](focused))
		if err != nil {
			b.Fatal(err)
		}
		if slices.Contains(at, what) {
			return
		}
		b.act("going on", chromedp.KeyEvent(kb.Tab))
	}
	b.Fatalf("no key leads to %s\n%s", what, b.shows())
}

// skips goes by the skip link, the first of the page, to its content, if that is where
// somebody wants to go to who has just come to the page.
func (b *tab) skips(what string) {
	b.Helper()
	const begins = `(wanted => document.activeElement === document.body && !!document.querySelector(".skip") &&
		[...document.querySelectorAll("#main *")].some(e => [e.id, e.getAttribute("href"), e.name].includes(wanted)))(%q)`
	if begins, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](fmt.Sprintf(begins, what))); err != nil {
		b.Fatal(err)
	} else if begins {
		b.act("skipping to the content", chromedp.KeyEvent(kb.Tab+kb.Enter))
	}
}

// types goes to the field and types.
func (b *tab) types(id, text string) {
	b.Helper()
	b.reach(id)
	b.put(text)
}

// strikes goes to something and presses Enter there.
func (b *tab) strikes(what string) {
	b.Helper()
	b.reach(what)
	b.act("pressing "+what, chromedp.KeyEvent(kb.Enter))
}

// enters turns to the page that something leads to, which fits into the window.
func (b *tab) enters(what string) {
	b.Helper()
	b.turns(what)
	b.fits("the page behind " + what)
}

// turns strikes something, and waits for the page that it leads to.
func (b *tab) turns(what string) {
	b.Helper()
	b.reach(what)
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("window.formIsHere = true")); err != nil {
		b.Fatal(err)
	}
	b.strikes(what)
	b.nextPage(what)
}
