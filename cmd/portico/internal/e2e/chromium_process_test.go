package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// shared is the browser of this process. To start one takes as long as a dozen pages, and
// tabs know nothing of each other.
var shared browser

// browser is one that starts when the first test asks.
type browser struct {
	mu   sync.Mutex
	ctx  context.Context // done when it is gone
	ends func()
}

// chromium returns the browser; its tabs come from newTab.
func chromium(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Chromium, which -short leaves out")
	}
	path := findChromium(t)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.ctx != nil && shared.ctx.Err() == nil {
		return shared.ctx
	}
	shared.end() // that which is gone
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and stays: the kernel ends the browser together with the thread that began it
		started <- shared.start(path)
		select {}
	}()
	if err := <-started; err != nil {
		t.Fatalf("starting Chromium: %v", err)
	}
	return shared.ctx
}

// start starts it with a fresh profile.
func (b *browser) start(path string) error {
	profile, err := os.MkdirTemp("", "portico-chromium-")
	if err != nil {
		return err
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.UserDataDir(profile),
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root otherwise
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closes := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return errors.Join(err, os.RemoveAll(profile))
	}
	b.ctx, b.ends = ctx, func() {
		if ctx.Err() == nil {
			_ = chromedp.Cancel(ctx) // waits until the profile is let go
		}
		closes()
		stop()
		if err := os.RemoveAll(profile); err != nil {
			fmt.Fprintln(os.Stderr, "the browser's profile:", err)
		}
	}
	return nil
}

// end ends it, if it ever began.
func (b *browser) end() {
	if b.ends != nil {
		b.ends()
	}
}

// withBrowser are tests after which the browser ends.
type withBrowser struct{ *testing.M }

// Run runs them.
func (m withBrowser) Run() int {
	code := m.M.Run()
	shared.end()
	return code
}

// findChromium prefers the one without windows, which takes less than half of the
// processor for the same pages.
func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("Chromium is missing: install it (apt-get install chromium-headless-shell), or leave it out (go test -short)")
	return ""
}
