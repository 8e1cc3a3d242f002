package app

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/storage"
)

// setUpURL returns what the file with the link holds, "" when there is none.
func setUpURL(t *testing.T, a *App) string {
	t.Helper()
	if err := a.offerSetUp(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(a.config.DataDir, setUpFile)
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return ""
	}
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func setUp(t *testing.T, link, email string) *http.Response {
	t.Helper()
	form := url.Values{
		"name": {"Administrator"}, "email": {email}, "password": {"correct horse battery"},
		"again": {"correct horse battery"},
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, link, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	return got
}

// Rule: ADMIN-5
func TestTheSetUpLinkMakesTheFirstAdministratorOnce(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	void, link := setUpURL(t, a), setUpURL(t, a)
	for range 2 { // opening it spends nothing
		if got, body := answer(t, "GET", link); got.StatusCode != http.StatusOK || !strings.Contains(body, "setup-form") {
			t.Fatalf("%d %s", got.StatusCode, body)
		}
	}
	if got := setUp(t, void, "intruder@example.test"); got.StatusCode != http.StatusGone {
		t.Errorf("the link before: %d", got.StatusCode)
	}
	if got := setUp(t, link, "admin@example.test"); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("setting up: %d", got.StatusCode)
	}
	user, _, err := a.parts.Store.FindUserByLogin(t.Context(), "admin@example.test")
	if err != nil || !user.Admin {
		t.Errorf("%+v, %v", user, err)
	}
	if got := setUp(t, link, "second@example.test"); got.StatusCode != http.StatusGone {
		t.Errorf("the second time: %d", got.StatusCode)
	}
	if left := setUpURL(t, a); left != "" {
		t.Errorf("a server with an administrator offers %s", left)
	}
}

// Rule: ADMIN-5
func TestTheSetUpLinkIsVoidOnceAnAdministratorExists(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	link := setUpURL(t, a)
	admin := storage.User{ID: "ADMINISTRATOR001", Email: "admin@example.test", Admin: true,
		CreatedAt: a.parts.Ambient.Now(), UpdatedAt: a.parts.Ambient.Now()}
	if err := a.parts.Store.CreateUser(t.Context(), storage.Act{At: a.parts.Ambient.Now()}, admin, ""); err != nil {
		t.Fatal(err)
	}
	if got, _ := answer(t, "GET", link); got.StatusCode != http.StatusGone {
		t.Errorf("opened: %d", got.StatusCode)
	}
	if got := setUp(t, link, "intruder@example.test"); got.StatusCode != http.StatusGone {
		t.Errorf("used: %d", got.StatusCode)
	}
}

// Rule: ADMIN-5
func TestASetUpThatDoesNotFitKeepsTheLinkAndSaysWhy(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	link := setUpURL(t, a)
	if got := setUp(t, link, "not an address"); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("%d", got.StatusCode)
	}
	if got := setUp(t, link, "admin@example.test"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the link is gone: %d", got.StatusCode)
	}
}

// Whoever is late has no administrator to ask for another link.
//
// Rule: ADMIN-24
func TestASetUpLinkThatIsOverSaysWhereTheNextOneIs(t *testing.T) {
	a := open(t, configure(t))
	start(t, a)
	void, _ := setUpURL(t, a), setUpURL(t, a)
	got, err := http.Get(void)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	page, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusGone || !strings.Contains(string(page), "in the file setup-url") ||
		strings.Contains(string(page), "Ask whoever gave you the link") {
		t.Errorf("%d %s, %v", got.StatusCode, page, err)
	}
}
