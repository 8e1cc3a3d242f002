package e2e

import (
	"encoding/base64"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// press sends the form of one button on the page, which has no fields.
// press sends a button's form in the person's name, and looks at what it shows
// once; it follows nowhere else.
func (v *visitor) press(path string, pairs ...string) answer {
	v.Helper()
	r, err := http.NewRequest(http.MethodPost, v.URL+path, strings.NewReader(form(pairs...).Encode()))
	v.must(err)
	r.Header.Set("Content-Type", formType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	got, err := try(v.http, r)
	v.must(err)
	if to := got.Header.Get("Location"); strings.HasPrefix(to, "/shown/") {
		return v.fetch("GET", to)
	}
	return got
}

// Rules: ACCOUNT-18, PORTAL-12
func TestServiceAccountsAreManagedOnTheirAppsPage(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("dev@example.test")
		dev := s.signedIn("dev@example.test")
		app, made := dev.registered("service")
		web, _ := dev.registered("web")
		if got := dev.press("/apps/"+web+"/service-accounts", "name", "robot"); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("a web app has service accounts: %d", got.Status)
		}
		if got := dev.press("/apps/"+app+"/service-accounts", "name", "x"); got.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(got.Body, `id="error-name"`) {
			t.Errorf("a short name: %d\n%s", got.Status, got.Body)
		}
		if got := dev.press("/apps/"+app+"/service-accounts", "name", "robot"); got.Status != http.StatusSeeOther {
			t.Fatalf("creating: %d\n%s", got.Status, got.Body)
		}
		account, _, _ := strings.Cut(after(dev.fetch("GET", "/apps/"+app).Body, `id="account-`), `"`)
		path := "/apps/" + app + "/service-accounts/" + account
		if got := dev.press(path+"/keys", "label", "Night job", "ends_at", "2020-01-01"); got.Status !=
			http.StatusUnprocessableEntity || !strings.Contains(got.Body, `id="error-ends_at"`) ||
			!strings.Contains(got.Body, `value="Night job"`) {
			t.Errorf("an end in the past: %d\n%s", got.Status, got.Body)
		}
		shown := dev.press(path+"/keys", "label", "Night job", "ends_at", "2099-06-30")
		kid, _, _ := strings.Cut(after(shown.Body, `id="revealed-key-id"`, ">"), "<")
		private, _, _ := strings.Cut(after(shown.Body, `id="revealed-private-key"`, ">"), "<")
		if shown.Status != http.StatusOK || !strings.HasPrefix(html.UnescapeString(private),
			"-----BEGIN RSA PRIVATE KEY-----") ||
			strings.Contains(shown.Body, "iss and sub") ||
			shown.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("a new key: %d\n%s", shown.Status, shown.Body)
		}
		secret := inner(made.Body, "<", `id="revealed-client-secret"`, ">")
		file := filepath.Join(t.TempDir(), "key.json")
		download, _, _ := strings.Cut(after(shown.Body, `download="key.json" href="data:`, "base64,"), `"`)
		s.must(os.WriteFile(file, must(base64.StdEncoding.DecodeString(html.UnescapeString(download))), 0o600))
		s.command(secret, "service-account", "token", "--key", file, "--client-secret-file", "-")
		if page := dev.fetch("GET", "/apps/"+app); strings.Contains(page.Body, "PRIVATE") ||
			!strings.Contains(page.Body, kid) || !strings.Contains(page.Body, "<bdi>Night job</bdi>") ||
			!strings.Contains(page.Body, "2099") {
			t.Error("the private key is shown twice, or the key not at all")
		}
		for _, step := range []struct {
			path, status string
			want         int
		}{
			{"/keys/" + kid + "/status", "DISABLED", 303}, {"/keys/" + kid + "/status", "ENABLED", 303},
			{"/status", "DISABLED", 303},
			{"/keys/" + kid + "/status", "DISABLED", 409}, {"/status", "nonsense", 400}, {"/status", "ENABLED", 303},
			{"/keys/" + kid + "/delete", "", 303}, {"/keys/" + kid + "/delete", "", 404},
			{"/delete", "", 303}, {"/delete", "", 404},
		} {
			if got := dev.press(path+step.path, "status", step.status); got.Status != step.want {
				t.Errorf("%s %s: %d, want %d", step.path, step.status, got.Status, step.want)
			}
		}
	})
}

// By its label a secret is known to those who gave it one. Two may have the same: its id
// stands beside it, as on the page of the app.
//
// Rule: PORTAL-22
func TestASecretThatIsToBeDeletedIsCalledByItsLabel(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("dev@example.test")
	dev := s.signedIn("dev@example.test")
	id, _ := dev.registered("web")
	dev.press("/apps/"+id+"/secrets", "label", "Second <server>")
	secret := inner(dev.fetch("GET", "/apps/"+id).Body, "<", "Second &lt;server&gt;", "<code>")
	asked := dev.fetch("GET", "/apps/"+id+"/secrets/"+secret+"/delete").Body
	if want := "Delete the secret Second &lt;server&gt; (" + secret + ")?"; !strings.Contains(asked, want) {
		t.Errorf("no %q\n%s", want, asked)
	}
}
