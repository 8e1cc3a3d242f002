package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// tab is a private window of a browser: cookies of its own.
type tab struct {
	testing.TB
	whole  context.Context // until the test ends
	closes func()
	ctx    context.Context // until patience does: see patiently
	read   look            // how its pages are read; zero: as the browser does by itself
	judged int             // how many pages of it were judged: see accessible
}

func newTab(t *testing.T, browser context.Context, scripts bool) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: !scripts})
	if err != nil {
		t.Fatalf("opening a tab: %v", err)
	}
	b := &tab{TB: t, whole: ctx, closes: cancel}
	b.patiently()
	return b
}

// patiently has the tab begin anew to wait: whoever does much without opening an address.
func (b *tab) patiently() {
	ctx, giveUp := context.WithTimeout(b.whole, patience)
	b.Cleanup(giveUp)
	b.ctx = ctx
}

// act does the steps. When one fails, the test ends with what the tab shows.
func (b *tab) act(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatalf("%s: %v\n%s", what, err, b.shows())
	}
}

// shows returns address and content of the page, however the tab is.
func (b *tab) shows() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), patience/10)
	defer cancel()
	at, _ := chromedp.Run(ctx, chromedp.Location())
	content, err := chromedp.Run(ctx, chromedp.OuterHTML(chromedp.CSS("html")))
	return fmt.Sprintf("the tab is at %s (%v)\n%s", at, err, content)
}

// await waits for the element with the id.
func (b *tab) await(id string) {
	b.Helper()
	b.until("waiting for #"+id, visible(withID(id)))
}

func (b *tab) click(id string) {
	b.Helper()
	b.press(withID(id))
}

// open goes to an address, and has as long as any other page. A page that is still on
// its way, after a click that nothing awaited, may overtake it: the browser then says
// "aborted", and by the next try that page is there.
func (b *tab) open(address string) {
	b.Helper()
	b.patiently()
	err := chromedp.Do(b.ctx, chromedp.Navigate(address))
	for tries := 1; err != nil && tries < 3 && strings.Contains(err.Error(), "net::ERR_ABORTED"); tries++ {
		b.act("waiting for the page before", chromedp.WaitReady(chromedp.CSS("body")))
		err = chromedp.Do(b.ctx, chromedp.Navigate(address))
	}
	if err != nil {
		b.Fatalf("opening %s: %v\n%s", address, err, b.shows())
	}
}

// text returns what the element with the id says, once it is there.
func (b *tab) text(id string) string {
	b.Helper()
	b.await(id)
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](withID(id)+".textContent"))
	if err != nil {
		b.Fatalf("reading #%s: %v\n%s", id, err, b.shows())
	}
	return strings.TrimSpace(text)
}

// signIn fills the sign-in page as a person does.
func (b *tab) signIn(email string) {
	b.Helper()
	b.await("login-submit")
	b.fill("username", email)
	b.fill("password", password)
	b.click("login-submit")
}

// typeCode types into the field of a second step.
func (b *tab) typeCode(code string) {
	b.Helper()
	b.fill("code", code)
}

// complaints collects what the browser says about the pages it loads from now
// on.
func (b *tab) complaints() *complaints {
	b.Helper()
	c := &complaints{}
	if err := chromedp.Listen(b.whole, c.hear); err != nil {
		b.Fatal(err)
	}
	return c
}
