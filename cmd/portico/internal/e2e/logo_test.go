package e2e

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"
	"testing"
)

// Rule: PORTAL-16
func TestALogoIsShownWhereTheAppIsAndComesFromHereAlone(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		f := furnish(t, database, nil)
		app, logo := "/apps/"+f.web["clientId"], "/logos/"+f.web["logo"]
		f.command("", "client", "update", f.web["clientId"], "--logo-uri", "https://pictures.example.test/logo.png")
		consent, err := f.admin.open(f.authorizeURL(client{ID: f.web["clientId"], RedirectURIs: []string{callback}}))
		f.must(err)
		for _, path := range []string{app, "/admin" + app, consent.At.RequestURI()} {
			got := f.admin.fetch("GET", path)
			if !strings.Contains(got.Body, `<img class="logo" src="`+logo+`" alt=""`) ||
				strings.Contains(got.Body, `src="https:`) {
				t.Errorf("%s: %d\n%s", path, got.Status, got.Body)
			}
			if policy := got.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "; img-src 'self';") {
				t.Errorf("%s: %s", path, policy)
			}
		}

		got := f.visitor("x").fetch("GET", logo)
		picture, err := png.Decode(bytes.NewReader([]byte(got.Body)))
		if err != nil || picture.Bounds().Dx() != 96 {
			t.Fatalf("the picture has %d bytes, %v", len(got.Body), err)
		}
		for name, want := range map[string]string{
			"Content-Type": "image/png", "X-Content-Type-Options": "nosniff",
			"Cache-Control":           "public, max-age=31536000, immutable",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
		} {
			if got.Header.Get(name) != want {
				t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
			}
		}

		if got := f.admin.upload(app+"/logo", "logo",
			[]byte("<svg onload=alert(1)>")); got.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(got.Body, `id="error-logo"`) {
			t.Errorf("no picture: %d\n%s", got.Status, got.Body)
		}
		if got := f.admin.upload(app+"/logo", "logo",
			bytes.Repeat([]byte("x"), 300<<10)); got.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(got.Body, "256 kB") {
			t.Errorf("too large: %d\n%s", got.Status, got.Body)
		}
		if got := f.admin.press(app + "/logo/delete"); got.Status != http.StatusSeeOther {
			t.Errorf("taking it away: %d", got.Status)
		}
		if got := f.admin.fetch("GET", app); strings.Contains(got.Body, "<img") {
			t.Error("it is still shown")
		}
		for _, path := range []string{logo, "/logos/nothing.png", "/logos/nothing", strings.TrimSuffix(logo, ".png")} {
			if got := f.visitor("x").fetch("GET", path); got.Status != http.StatusNotFound {
				t.Errorf("%s: %d", path, got.Status)
			}
		}
	})
}
