package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/portico-id/portico/internal/harness/pgtest"
)

// sitting is how somebody uses pages: with a mouse, or with the keyboard alone.
type sitting struct {
	*tab
	keys bool
}

// goes chooses what has the id, and waits for the page behind it.
func (h sitting) goes(id string) {
	h.Helper()
	if h.keys {
		h.enters(id)
		return
	}
	h.tab.goes(id)
}

// follows chooses the link that says so.
func (h sitting) follows(says string) {
	h.Helper()
	h.goes(h.linkSaying(says))
}

// write types into a field of a form.
func (h sitting) write(field, text string) {
	h.Helper()
	if h.keys {
		h.types("field-"+field, text)
		return
	}
	h.tab.write(field, text)
}

// names types somebody's address into a form. As nobody has shown that it is theirs the
// form comes back with their id, which is typed instead, and is returned.
func (h sitting) names(form, address string) (id string) {
	h.Helper()
	h.write("user", address)
	h.goes(form + "-submit")
	id = idOf.FindString(h.text("error-user"))
	h.types("field-user", id) // whoever comes by the keyboard has selected what stands there
	return id
}

var idOf = regexp.MustCompile(`\b[A-Z2-7]{16}\b`)

// gives chooses the level of a grant, three behind the one that is chosen.
func (h sitting) gives(usual, level string) {
	h.Helper()
	if h.keys {
		h.reach("field-level." + usual)
		h.act("choosing a level", chromedp.KeyEvent(kb.ArrowDown+kb.ArrowDown+kb.ArrowDown))
		return
	}
	h.choose("field-level." + level)
}

// signsIn fills the page of the sign-in.
func (h sitting) signsIn(email string) {
	h.Helper()
	if !h.keys {
		h.nextAfter(func() { h.signIn(email) })
		return
	}
	h.types("username", email)
	h.types("password", password)
	h.enters("login-submit")
}

// sends uploads a file: a browser's own window chooses it, which no test can see.
func (h sitting) sends(name, body string) {
	h.Helper()
	file := filepath.Join(h.TempDir(), name)
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		h.Fatal(err)
	}
	h.await("upload-form-submit")
	h.act("choosing a file", chromedp.SetUploadFiles(chromedp.ID("field-files"), []string{file}))
	h.goes("upload-form-submit")
}

// hidesFrom fails where the page says any of the words.
func (h sitting) hidesFrom(words ...string) {
	h.Helper()
	h.ready()
	page, err := chromedp.Run(h.ctx, chromedp.OuterHTML(chromedp.CSS("html")))
	if err != nil {
		h.Fatal(err)
	}
	for _, word := range words {
		if strings.Contains(page, word) {
			h.Errorf("the page tells of %q\n%s", word, page)
		}
	}
}

// whole is an administrator of a server who looks after the hub Works, and a browser.
func whole(t *testing.T, test func(t *testing.T, s *site, on sitting, beside func() sitting)) {
	browser := chromium(t)
	at := func(name, database string, bucket, scripts bool) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var settings []string
			if bucket {
				settings, _ = inBucket(t)
			}
			s := start(t, database, settings...)
			var hub struct{ ID string }
			s.commandJSON(&hub, "", "hub", "create", "--name", "Works")
			s.person("admin@example.test", "--admin")
			s.command("", "member", "add", "--hub", hub.ID, "--user", "admin@example.test", "--role", "admin")
			fresh := func() sitting {
				b := newTab(t, browser, scripts)
				b.look(map[bool]look{true: {"en", 320, "dark"}, false: {"en", 1280, "light"}}[scripts])
				return sitting{b, scripts}
			}
			test(t, s, fresh(), fresh)
		})
	}
	at("sqlite, files, with scripts", sqliteURL(t), false, true)
	at("postgres, S3, without scripts", pgtest.URL(t), true, false)
}

// With script everything is done by the keyboard in a window of 320 pixels, which is what
// 400 % leaves of one of 1280; without script by the mouse.
//
// Rule: FILES-40
func TestAnAdministratorGivesADeepFolderAndWhoGetsItSeesJustThatAndWorksThere(t *testing.T) {
	t.Parallel()
	whole(t, func(t *testing.T, s *site, admin sitting, beside func() sitting) {
		const tower, email = "Tower", "member@example.test"
		admin.open(s.URL + "/files")
		admin.signsIn("admin@example.test")
		admin.follows("Works")
		admin.goes("hub-admin")
		admin.write("name", tower)
		admin.goes("project-form-submit")
		admin.goes("people")
		admin.write("user", email)
		admin.goes("member-form-submit")
		link := admin.text("revealed-link")
		admin.goes("continue")

		admin.open(s.URL + "/files")
		for _, step := range []string{"Works", tower, "Project Files"} {
			admin.follows(step)
		}
		for _, name := range []string{"Estimates", "Drawings", "Structure", "Steel"} {
			admin.goes("new-folder")
			admin.write("name", name)
			admin.goes("folder-form-submit")
			if name == "Estimates" { // which lies beside the others
				admin.follows("Project Files")
			}
		}
		admin.goes("share")
		id := admin.names("share-form", email)
		admin.gives("download", "edit")
		admin.goes("share-form-submit")
		admin.goes("sees")
		admin.write("user", id)
		admin.goes("sees-form-submit")
		admin.says("listed", "Steel", "move, hide and restore")
		admin.follows("Structure")
		admin.goes("share")
		admin.goes("sees")
		admin.write("user", id)
		admin.goes("sees-form-submit")
		admin.says("none", "Nothing gives them a right here")

		member := beside()
		member.open(link)
		for _, field := range []string{"password", "again"} {
			member.write(field, password)
		}
		member.goes("password-form-submit")
		member.open(s.URL + "/files")
		if at := must(chromedp.Run(member.ctx, chromedp.Location())); strings.Contains(at, "/login") {
			member.signsIn(email)
		}
		elsewhere := []string{"Estimates", "Drawings", "Structure", "Project Files"}
		for _, step := range []string{"Works", tower, "Steel"} {
			member.hidesFrom(elsewhere...)
			member.follows(step)
		}
		member.hidesFrom(elsewhere...)

		member.goes("upload")
		member.sends("beams.txt", "Beams: 12\n")
		member.says("done", "stored")
		member.follows("beams.txt")
		member.goes("upload")
		member.sends("beams.txt", "Beams: 14\n")
		member.goes("open")
		member.says("view", "Beams: 14")
		member.follows("beams.txt")
		member.says("versions", "1", "2")
		member.follows("Restore version 1")
		member.goes("newest-form-submit")
		member.says("versions", "1", "2", "3")
		member.goes("open")
		member.says("view", "Beams: 12")
		member.hidesFrom(elsewhere...)
	})
}
