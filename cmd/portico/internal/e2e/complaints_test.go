package e2e

import (
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
)

// complaints is what a browser says about pages on its console: what a policy
// blocked, scripts that failed, answers that may not be read.
type complaints struct {
	mu   sync.Mutex
	list []string
}

func (c *complaints) hear(event any) {
	var text string
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if strings.HasPrefix(e.Entry.Text, "Autofocus processing was blocked because a document already has a focused") {
			return // a test was at the field before the browser, which goes there only once it draws
		}
		text = fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text + " " + e.ExceptionDetails.URL
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, text)
}

func (c *complaints) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.list...)
}
