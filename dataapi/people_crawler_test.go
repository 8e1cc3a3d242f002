package dataapi_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// wanderer follows every link of every page, and sends every form that asks nothing.
type wanderer struct {
	peoplesPages
	user  string
	to    []string
	seen  map[string]bool
	text  strings.Builder // every answer, with its headers
	asked int
}

// leading are the addresses that a page leads to.
var leading = regexp.MustCompile(`(?:href|src|action)="(/files[^"]*)"`)

// changing is what is in an address anew each time that it is shown.
var changing = regexp.MustCompile(`(?:form|after)=[^&]*`)

func (c *wanderer) run() {
	c.Helper()
	for len(c.to) > 0 {
		path := c.to[0]
		c.to = c.to[1:]
		path, _, _ = strings.Cut(html.UnescapeString(path), "#")
		plain := changing.ReplaceAllString(path, "")
		if c.seen[plain] {
			continue
		}
		c.seen[plain] = true
		c.take(path, c.open(c.user, path))
	}
}

// take notes an answer, and where it leads.
func (c *wanderer) take(path string, got *httptest.ResponseRecorder) {
	c.Helper()
	c.asked++
	if got.Code >= http.StatusInternalServerError {
		c.Errorf("%s: %d %s", path, got.Code, got.Body)
	}
	body := got.Body.String()
	got.Header().Del("Location") // it is what was asked for, to be asked for again after signing in
	for _, secrets := range c.secrets() {
		for _, secret := range secrets {
			if strings.Contains(path, secret) {
				body = strings.ReplaceAll(body, secret, "") // what was asked for is known
			}
		}
	}
	fmt.Fprintln(&c.text, got.Header(), html.UnescapeString(body))
	for _, to := range leading.FindAllStringSubmatch(got.Body.String(), -1) {
		c.to = append(c.to, to[1])
	}
}

// everyPage is the address of every page of the things, and of all that is around them.
func (p peoplesPages) everyPage(on []addressee) []string {
	p.Helper()
	all := []string{"/files/hubs/" + p.otherHub.ID, "/files/projects/" + p.bridge.ID, "/files/projects/" + p.far.ID}
	for _, around := range []thing{{"root", p.tower.RootFolderID, p.reserved}, {"top", p.files.ID, p.deleted},
		{"other", p.middle, p.innerItem}} {
		on = append(on, p.addressed(around))
	}
	for _, a := range on {
		for _, d := range doors() {
			if d.method == http.MethodGet {
				plain, _, _ := strings.Cut(a.at(p, d), "?")
				all = append(all, plain, a.at(p, d))
			}
		}
	}
	return all
}

// wanderersOnPostgres are those from whom the most is kept in the tree that they see. The
// pages ask the store what the API asks, whose crawler goes as all of crawlersOnPostgres.
var wanderersOnPostgres = []string{"viewer", "deep viewer"}

// Who may see what is the table of TestACrawlerFindsNothingThatItsCallerMayNotSee.
//
// Rule: FILES-2
func TestWhoeverWandersThroughThePagesFindsWhatTheAPIWouldShowAndNothingElse(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		on := p.addressees()
		for name, visible := range s.visible() {
			who, seldom := s.callersOnce(name), !slices.Contains(wanderersOnPostgres, name)
			if who.user == "" || who.client != app || seldom && strings.HasSuffix(t.Name(), "/postgres") {
				continue
			}
			c := &wanderer{peoplesPages: p, user: who.user, seen: map[string]bool{}, to: p.everyPage(on)}
			c.run()
			c.refused(name, on)
			found := c.text.String()
			known := s.secrets()
			delete(known, "the other apps") // who looks after a hub sees them on its pages
			for thing, secrets := range known {
				for _, secret := range secrets {
					shown := strings.Contains(found, secret)
					if word, quoted := strings.CutPrefix(secret, `"`); quoted {
						shown = regexp.MustCompile(`[>“]` + strings.TrimSuffix(word, `"`) + `[<”]`).MatchString(found)
					}
					if shown && !slices.Contains(visible, thing) {
						t.Errorf("%s finds %q of %s", name, secret, thing)
					}
				}
			}
			for _, thing := range visible {
				if thing != "root" && thing != "Readers" && !strings.Contains(found, ">"+thing+"<") {
					t.Errorf("%s does not find %s", name, thing)
				}
			}
			t.Logf("%s: %d pages", name, c.asked)
		}
	})
}

// refused sends every form that is not for them.
func (c *wanderer) refused(name string, on []addressee) {
	c.Helper()
	for _, a := range on {
		for _, d := range doors() {
			if d.method != http.MethodGet && d.sees(name, c.user, c.peoplesPages, a) >= http.StatusBadRequest {
				path := a.at(c, d)
				c.take(path, c.knock(c.user, d.method, path, a))
			}
		}
	}
}

// What grows where somebody may not look changes nothing that they see.
//
// Rule: FILES-2
func TestNoPageTellsHowMuchThereIsThatItsReaderCannotRead(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := newScene(w)
		p := s.pages()
		loader := s.User("deep loader")
		s.grant(storage.FolderGrant{FolderID: s.inner, UserID: loader, Level: storage.LevelDownload})
		once := regexp.MustCompile(`form=[^"]*|nonce="[^"]*"|after=[^"]*`)
		look := func() string {
			var all strings.Builder
			for _, path := range []string{"/files", "/files/hubs/" + s.hub.ID, "/files/projects/" + s.tower.ID,
				s.pagesOf(thing{"", s.inner, s.deepItem})["folder"], s.pagesOf(thing{"", s.inner, s.deepItem})["item"],
				s.pagesOf(thing{"", s.inner, s.deepItem})["folder"] + "/search?q=txt"} {
				got := p.open(loader, path)
				w.Equal(http.StatusOK, got.Code)
				all.WriteString(once.ReplaceAllString(got.Body.String(), ""))
			}
			return all.String()
		}
		packs := func() string {
			made := p.press(loader, s.pagesOf(thing{"", s.inner, s.deepItem})["folder"]+"/zip")
			w.Equal(http.StatusSeeOther, made.Code)
			got := p.open(loader, made.Header().Get("Location"))
			read, err := zip.NewReader(bytes.NewReader(got.Body.Bytes()), int64(got.Body.Len()))
			w.Must(err)
			var names []string
			for _, file := range read.File {
				names = append(names, file.Name)
			}
			return fmt.Sprint(names)
		}
		before, packed := look(), packs()
		bring := func(folder, name string) {
			path := s.pagesOf(thing{"", folder, s.report})["folder"] + "/upload"
			w.Equal(http.StatusSeeOther, p.uploads(s.hubAdmin, path, "version", name, "bytes").Code)
		}
		for _, folder := range []string{s.outer, s.middle, s.plans.ID} {
			bring(folder, "elsewhere.txt")
		}
		s.folder(s.outer, s.fresh())
		if look() != before || packs() != packed {
			t.Errorf("something elsewhere shows:\n%s\n%s", look(), packs())
		}
		bring(s.inner, "new.txt")
		if look() == before || packs() == packed {
			t.Error("something here does not show")
		}
	})
}
