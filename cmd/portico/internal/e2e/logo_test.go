package e2e

import (
	"bytes"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rule: PORTAL-27
func TestALogoIsSetByProgramAndOnTheCommandLine(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write", "--vouched")
		admin := s.visitor("admin@example.test").withPassword()
		token := admin.tokens(tool, "scope", "openid account:read account:write").text("access_token")
		shown := func() bool { return strings.Contains(admin.fetch("GET", "/admin/apps/"+tool.ID).Body, `src="/logos/`) }
		put := func(kind string, file []byte) int {
			r, err := http.NewRequest(http.MethodPut, s.URL+"/admin/v1/apps/"+tool.ID+"/logo", bytes.NewReader(file))
			s.must(err)
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", kind)
			got, err := try(&http.Client{Transport: s.wire}, r) // the checker takes bytes for a form
			s.must(err)
			return got.Status
		}
		away := func(app string) int { return s.api(token, "DELETE", "/apps/"+app+"/logo", "").Status }
		if shown() || put("image/svg+xml", []byte("<svg/>")) != http.StatusUnsupportedMediaType ||
			away("none") != http.StatusNotFound {
			t.Error("before there is one")
		}
		if got := put("image/png", picture(t)); got != http.StatusNoContent || !shown() {
			t.Errorf("by program: %d, shown %v", got, shown())
		}
		for range 2 {
			if got := away(tool.ID); got != http.StatusNoContent || shown() {
				t.Errorf("taken away: %d, shown %v", got, shown())
			}
		}
		file := filepath.Join(t.TempDir(), "logo.png")
		s.must(os.WriteFile(file, picture(t), 0o600))
		if s.command("", "client", "logo", tool.ID, file); !shown() {
			t.Error("set on the command line it is not shown")
		}
		if !strings.Contains(s.api(token, "GET", "/apps/"+tool.ID, "").Body, `"vouched":true`) {
			t.Error("the operator's own picture takes the operator's mark away")
		}
		for range 2 {
			s.command("", "client", "logo", tool.ID, "--remove")
		}
		if _, trouble := s.commanded("<svg/>", "client", "logo", tool.ID); shown() || !strings.Contains(trouble, "PNG") {
			t.Errorf("shown %v; no picture: %q", shown(), trouble)
		}
	})
}

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

// Whoever is told that the server is not ready tries the same again.
//
// Rule: FORM-11
func TestALogoThatComesTooSlowlyIsSaidToDoSo(t *testing.T) {
	t.Parallel()
	f := furnish(t, sqliteURL(t), nil)
	comes, never := io.Pipe()
	defer never.Close()
	go func() {
		_, _ = io.WriteString(never, "--b\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"l.png\"\r\n\r\n")
	}()
	r, err := http.NewRequest(http.MethodPost, f.URL+"/apps/"+f.web["clientId"]+"/logo?form=token", comes)
	f.must(err)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	got, err := try(f.admin.http, r)
	f.must(err)
	if got.Status == http.StatusServiceUnavailable || !strings.Contains(got.Body, "did not arrive in time") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
