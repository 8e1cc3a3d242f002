package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// Rule: FILES-8
func TestWhatABrowserLeavesOutIsReadOnItsPage(t *testing.T) {
	browser, database := chromium(t), sqliteURL(t)
	r, s := newRelay(t, database)
	s.build()
	p := porterOf(t, r, s, database)
	var files []string
	for _, name := range []string{"there.txt", "new.txt"} {
		files = append(files, filepath.Join(p.dir, name))
		p.must(os.WriteFile(name, []byte("text"), 0o600))
	}
	p.person("crane@example.test")
	p.command("", "member", "add", "--project", p.project, "--user", "crane@example.test", "--role", "admin")
	upload := p.URL + "/files/projects/" + p.project + "/folders/" + folderURN(p.files) + "/upload"

	b := newTab(t, browser, true)
	b.open(upload)
	b.signIn("crane@example.test")
	b.picks(files[0])
	b.await("done")
	b.open(upload)
	b.await("upload-form-submit")
	b.act("choosing two files", chromedp.SetUploadFiles(chromedp.ID("field-files"), files))
	b.click("field-same.skip")
	b.click("upload-form-submit")
	b.until("both files are over", `["sending", "done"].some(id => / (stored|skipped)[^]* (stored|skipped)/.test(
		document.getElementById(id)?.innerText))`)
	b.act("going on", chromedp.Sleep(patience/200))
	b.says("sending", "It was skipped", "It is stored")
}
