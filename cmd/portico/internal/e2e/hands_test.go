package e2e

import (
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// The browser's tools have it tell its whole tree for each query, and draw the window for
// each key: a sign-in took as long as a hundred questions to the page. So tabs ask the page
// itself, and put words in at once, but for the keys that a test is about.

// until waits until the page says yes. One that is on its way says nothing.
func (b *tab) until(what, says string) {
	b.Helper()
	for {
		yes, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](says))
		if err == nil && yes {
			return
		}
		select {
		case <-b.ctx.Done():
			b.Fatalf("%s: %v, %v\n%s", what, b.ctx.Err(), err, b.shows())
		case <-time.After(15 * time.Millisecond):
		}
	}
}

// ready waits for the page.
func (b *tab) ready() {
	b.Helper()
	b.until("waiting for the page", `document.readyState != "loading" && !!document.querySelector("main")`)
}

// withID is the element with the id, as the page finds it.
func withID(id string) string { return fmt.Sprintf("document.getElementById(%q)", id) }

// visible says whether the element takes room.
func visible(element string) string {
	return `(e => !!e && !!(e.offsetWidth || e.offsetHeight || e.getClientRects().length))(` + element + `)`
}

// press clicks on the element, once it is there.
func (b *tab) press(element string) {
	b.Helper()
	b.until("waiting for "+element, visible(element))
	at, err := chromedp.Run(b.ctx, chromedp.Evaluate[spot](middle+"("+element+")"))
	if err != nil {
		b.Fatalf("choosing %s: %v\n%s", element, err, b.shows())
	}
	b.act("choosing "+element, chromedp.MouseClickXY(at.X, at.Y))
}

// fill puts words into the field with the id, in front of what stands there.
func (b *tab) fill(id, words string) {
	b.Helper()
	b.await(id)
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](withID(id)+".focus(), true")); err != nil {
		b.Fatalf("going to #%s: %v\n%s", id, err, b.shows())
	}
	b.put(words)
}

// put has the words where the cursor is.
func (b *tab) put(words string) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: words}); err != nil {
		b.Fatalf("typing: %v\n%s", err, b.shows())
	}
}
