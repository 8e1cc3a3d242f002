package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// press goes to the element with the id, or the link with the address, by the key
// Tab alone, and chooses it.
func (b *tab) press(id string) {
	b.Helper()
	b.act("waiting for the page", chromedp.WaitReady(chromedp.CSS("main")))
	for range 80 {
		b.act("pressing Tab", chromedp.KeyEvent("\t"))
		at, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.activeElement?.id || document.activeElement?.getAttribute("href") || ""`))
		if err != nil {
			b.Fatal(err)
		}
		if at == id {
			b.act("pressing Enter", chromedp.KeyEvent("\r"))
			return
		}
	}
	b.Fatalf("the keyboard does not reach #%s\n%s", id, b.shows())
}

// Rules: HOME-1, HOME-5, HOME-8, HOME-10
func TestPeopleLookAfterTheirAccountByKeyboard(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts %v", scripts), func(t *testing.T) {
			both := twinsOn(t, sqliteURL(t))
			s := both[0]
			c := connect(s)
			elsewhere := s.signedIn("person@example.test")
			b := newTab(t, browser, scripts)
			b.look(look{"en", 360, "dark"})
			b.open(s.URL + "/")
			b.signIn("person@example.test")

			b.press("own-sessions")
			b.await("sessions")
			b.fits("/account/sessions")
			b.press("end-others")
			b.press("confirm-submit")
			b.await("done")
			if got := elsewhere.fetch("GET", "/account/sessions"); got.Status != http.StatusSeeOther {
				t.Errorf("the other sign-in lives: %d", got.Status)
			}
			c.person = s.signedIn("person@example.test")
			c.grant()

			b.open(s.URL + "/")
			b.press("connected-apps")
			b.press(c.withdrawPath())
			b.press("confirm-submit")
			b.await("done")
			for i, server := range both {
				c.dead(server, "server %d goes on taking tokens", i)
			}

			b.open(s.URL + "/")
			b.press("own-data")
			b.await("archive")
			b.fits("/account/data")
			c.grant()
			b.open(s.URL + "/")
			b.press("delete-account")
			b.await("leave-submit")
			b.fits("/account/delete")
			b.press("leave-submit")
			b.act("reading", chromedp.WaitReady(chromedp.CSS("main")))
			s.within(5*time.Second, func() bool {
				at, _ := chromedp.Run(b.ctx, chromedp.Location())
				return strings.HasSuffix(at, "/account/deleted")
			}, "the browser is elsewhere")
			for i, server := range both {
				c.dead(server, "server %d goes on taking tokens", i)
			}
		})
	}
}
