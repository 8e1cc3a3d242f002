package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// shot keeps a picture of the whole page, light and dark, in the directory that
// E2E_PICTURES names; without one it does nothing.
func (b *tab) shot(name string) {
	b.Helper()
	dir := os.Getenv("E2E_PICTURES")
	if dir == "" {
		return
	}
	b.act("taking a window", chromedp.EmulateViewport(1100, 500))
	b.ready()
	for _, theme := range []string{"light", "dark"} {
		feature := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme",
			Value: theme}}}
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, feature); err != nil {
			b.Fatal(err)
		}
		b.keeps(filepath.Join(dir, name+"-"+theme+".png"))
	}
}

// keeps writes a picture of the whole page into the file.
func (b *tab) keeps(file string) {
	b.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(file, picture, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// write types into a field of a form.
func (b *tab) write(field, text string) {
	b.Helper()
	b.fill("field-"+field, text)
}

func (b *tab) choose(id string) {
	b.Helper()
	b.press(withID(id))
}

// Rule: PORTAL-11
func TestADeveloperRegistersAnAppOfEachTypeAndTriesItOut(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts=%v", scripts), func(t *testing.T) {
			s := start(t, sqliteURL(t))
			subject := s.person("dev@example.test")
			b := newTab(t, browser, scripts)
			heard := b.complaints()
			b.open(s.URL + "/apps")
			b.signIn("dev@example.test")
			b.await("new-app")
			b.shot("apps-empty")
			for _, c := range []struct{ kind, callback, try string }{
				{"web", "https://app.example.test/callback", "try-id_token"},
				{"spa", "http://localhost:3000/callback", "try-id_token"},
				{"native", "com.example.app:/callback", "try-id_token"},
				{"service", "", "try-access_token"},
			} {
				b.open(s.URL + "/apps")
				b.click("new-app")
				b.write("name", "App "+c.kind)
				b.choose("field-type." + c.kind)
				b.write("redirect_uris", c.callback)
				b.shot("register-" + c.kind)
				b.click("app-form-submit")
				if c.kind == "web" || c.kind == "service" {
					b.await("revealed-client-secret")
					b.shot("secret-" + c.kind)
					b.click("continue")
				}
				id := b.text("client-id")
				b.shot("app-" + c.kind)
				b.click("try-app")
				b.shot("try-" + c.kind)
				b.click("try-form-submit")
				if c.kind != "service" {
					b.shot("try-consent-" + c.kind)
					b.click("consent-allow")
				}
				got := b.text(c.try)
				b.shot("tokens-" + c.kind)
				if !strings.Contains(got, id) || c.kind != "service" && !strings.Contains(got, subject) {
					t.Errorf("%s: the try-out shows %s", c.kind, got)
				}
			}
			if list := heard.all(); len(list) > 0 {
				t.Errorf("the browser complained:\n%s", strings.Join(list, "\n"))
			}
		})
	}
}
