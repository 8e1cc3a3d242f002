package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// follows chooses the link that says so, on the page or in its bar.
func (b *tab) follows(says string) {
	b.Helper()
	id := b.linkSaying(says)
	b.nextAfter(func() { b.click(id) })
}

// linkSaying gives the link that says so an id, unless it has one, and returns that.
func (b *tab) linkSaying(says string) string {
	b.Helper()
	const mark = `(() => {
		const link = [...document.querySelectorAll("a")].find(a => a.textContent.trim() === %q);
		if (link) link.id ||= "followed";
		return link?.id ?? "";
	})()`
	b.ready()
	id, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](fmt.Sprintf(mark, says)))
	if err != nil || id == "" {
		b.Fatalf("no link says %q: %v\n%s", says, err, b.shows())
	}
	return id
}

// nextAfter does something that leads to another page, and waits for that.
func (b *tab) nextAfter(act func()) {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("window.formIsHere = true")); err != nil {
		b.Fatal(err)
	}
	act()
	b.nextPage("what was chosen")
}

// goes chooses what has the id, and waits for the page that it leads to.
func (b *tab) goes(id string) {
	b.Helper()
	b.await(id)
	b.nextAfter(func() { b.click(id) })
}

// sends uploads a file by the form that is open.
func (b *tab) sends(name, body string) {
	b.Helper()
	file := filepath.Join(b.TempDir(), name)
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		b.Fatal(err)
	}
	b.await("upload-form-submit")
	b.act("choosing a file", chromedp.SetUploadFiles(chromedp.ID("field-files"), []string{file}))
	b.nextAfter(func() { b.click("upload-form-submit") })
}

// says fails where the page does not hold the words.
func (b *tab) says(id string, words ...string) {
	b.Helper()
	text := b.text(id)
	for _, word := range words {
		if !strings.Contains(text, word) {
			b.Errorf("#%s does not say %q:\n%s", id, word, text)
		}
	}
}

// What they press stands on the page that they are on: they know no address.
//
// Rules: FILES-18, FILES-25
func TestANewcomerSeesUploadsReplacesSharesAndRestoresAFileInTheDemo(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts=%v", scripts), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, sqliteURL(t))
			s.spawn("--demo")
			demo := readEnvFile(t, s.dataDir()+"/demo.env")
			b := newTab(t, browser, scripts)
			b.open(s.URL)
			b.await("login-submit")
			b.fill("username", "editor@example.test")
			b.fill("password", demo["DEMO_PASSWORD"])
			b.goes("login-submit")
			for _, step := range []string{"Your files", "Example Works", "Riverside Tower", "Project Files", "Handover"} {
				b.follows(step)
			}

			b.follows("Ground floor.pdf")
			b.says("versions", "2")
			b.follows("Handover")
			b.follows("Handover list.txt")
			b.goes("compare")
			b.says("lines", "Keys: 12", "Keys: 14")
			b.follows("Handover")

			b.goes("upload")
			b.sends("minutes.txt", "The crane moves to the north side.\n")
			b.says("done", "stored")
			b.follows("minutes.txt")
			b.goes("open")
			b.says("view", "The crane moves to the north side.")
			b.follows("minutes.txt")

			b.goes("upload")
			b.sends("minutes.txt", "The crane moves to the south side.\n")
			b.says("versions", "2")
			b.goes("compare")
			b.says("lines", "north side", "south side")
			b.follows("Handover")

			b.goes("share")
			b.write("user", "deep-viewer@example.test")
			b.choose("field-level.download")
			b.goes("share-form-submit")
			b.says("listed", "Deep Viewer")
			b.follows("Handover")

			b.follows("minutes.txt")
			b.goes("hide")
			b.goes("confirm-submit")
			b.goes("hidden-things")
			b.says("hidden", "minutes.txt", "Earlier handover.txt")
			b.nextAfter(func() { b.press(`document.querySelector("#hidden button")`) })
			b.says("done", "back")
		})
	}
}
