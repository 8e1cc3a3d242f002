package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// maxWeight is what a page may bring over the wire with everything it loads, in
// bytes of bodies.
const maxWeight = 30_000

var loaded = regexp.MustCompile(`(?:src|href)="(/(?:assets|logos)/[^"]+)"`)

// weigh returns how many bytes the page and its files take on the wire, as a
// browser that comes for the first time loads them.
func (v *visitor) weigh(path string) (bytes int, files []string) {
	v.Helper()
	got := v.fetch("GET", path)
	page := v.fetch("GET", path, "Accept-Encoding", "gzip, deflate, br", "Sec-Fetch-Site", "none")
	bytes = len(page.Body)
	seen := map[string]bool{}
	for _, file := range loaded.FindAllStringSubmatch(got.Body, -1) {
		if seen[file[1]] {
			continue
		}
		seen[file[1]] = true
		asset := v.fetch("GET", file[1], "Accept-Encoding", "gzip, deflate, br", "Sec-Fetch-Site", "same-origin")
		if asset.Status != http.StatusOK {
			v.Errorf("%s loads %s: %d", path, file[1], asset.Status)
		}
		bytes += len(asset.Body)
		files = append(files, file[1])
	}
	return bytes, files
}

// crowd adds as much as pages show at once.
func (f *furnished) crowd() {
	f.Helper()
	app := "/apps/" + f.service["clientId"]
	for i := range 9 {
		f.admin.press(app+"/service-accounts", "name", fmt.Sprintf("robot-of-the-night-shift-%d", i))
	}
	for _, account := range regexp.MustCompile(`id="account-([^"]+)"`).FindAllStringSubmatch(f.admin.fetch("GET",
		app).Body, -1) {
		for range 3 {
			f.admin.press(app + "/service-accounts/" + account[1] + "/keys")
		}
	}
	long := strings.Repeat("a-scope-that-nobody-knows ", 18)
	for i := range 10 {
		f.token(client{ID: f.service["clientId"], Secret: "wrong"}, "grant_type", "client_credentials")
		_, err := f.visitor("x").open(f.authorizeURL(client{ID: f.web["clientId"], RedirectURIs: []string{callback}},
			"scope", fmt.Sprint(long, i), "response_type", fmt.Sprint(long, i)))
		f.must(err)
	}
	for i := range 60 {
		f.command("", "user", "create", "--email", fmt.Sprintf("person-with-a-long-address-%d@department.example.test", i),
			"--name", fmt.Sprintf("Demo Person of the Long Name %d", i))
		f.command("", "client", "create", "--name", fmt.Sprintf("An App with a Rather Long Name %d", i), "--type", "service")
		f.admin.press("/admin/groups", "name", fmt.Sprintf("Editors of the Long Name %d", i), "description",
			strings.Repeat("They edit. ", 12))
	}
}

// Rule: PORTAL-17
func TestEveryPageIsUnder30kBOverTheWire(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), nil)
	f.crowd()
	heaviest, where := 0, ""
	for _, path := range append(f.pages(t), "/apps/nothing", "/admin/users?q=nobody", "/admin/audit?since=x") {
		v := f.admin
		if path == "/login" {
			v = f.visitor("x")
		}
		weight, files := v.weigh(path)
		if weight >= maxWeight || len(files) == 0 {
			t.Errorf("%s: %d bytes with %q", path, weight, files)
		}
		if weight > heaviest {
			heaviest, where = weight, path
		}
	}
	t.Logf("the heaviest page is %s with %d bytes", where, heaviest)
	consent, err := f.admin.open(f.authorizeURL(client{ID: f.web["clientId"], RedirectURIs: []string{callback}}))
	f.must(err)
	if consent.At.Path != "/consent" {
		t.Fatalf("at %s", consent.At)
	}
	weight, files := f.admin.weigh(consent.At.RequestURI())
	if weight >= maxWeight || !strings.Contains(strings.Join(files, " "), "/logos/") {
		t.Errorf("consent: %d bytes with %q", weight, files)
	}
	// Whoever comes from another site gets pages as they are.
	for _, path := range []string{"/login", consent.At.RequestURI()} {
		if got := f.admin.fetch("GET", path, "Accept-Encoding", "gzip", "Sec-Fetch-Site",
			"cross-site"); got.Header.Get("Content-Encoding") != "" || len(got.Body) >= maxWeight/2 {
			t.Errorf("%s: %d bytes, %s", path, len(got.Body), got.Header.Get("Content-Encoding"))
		}
	}
}
