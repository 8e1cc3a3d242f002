package e2e

import (
	"bytes"
	"image/png"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Rule: BRAND-2
func TestTheBrandIsOnEveryPageOfEveryServerWithinASecond(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		both := twinsOn(t, database)
		s := both[0]
		s.person("admin@example.test", "--admin")
		s.person("person@example.test")
		admin := s.signedIn("admin@example.test")
		admin.upload("/admin/brand/logo", "logo", picture(t))
		p, err := admin.open(s.URL + "/admin/brand")
		s.must(err)
		for _, wrong := range [][2]string{{"color", "#ffff00"}, {"color_dark", "#2a4d8f"}, {"color", "red;}"},
			{"support", "help@"}, {"support", "javascript:alert(1)"}, {"terms", "/terms"}, {"name", strings.Repeat("x", 41)}} {
			refused, err := admin.submit(p, "brand-form", form(wrong[0], wrong[1]))
			if err != nil || refused.Status != http.StatusUnprocessableEntity ||
				!strings.Contains(refused.Body, `id="error-`+wrong[0]+`"`) ||
				wrong[0] == "support" && !strings.Contains(refused.Body, "This must be an e-mail address, or") {
				t.Errorf("%v: %d %v", wrong, refused.Status, err)
			}
		}
		if got := admin.press("/admin/brand", "name", "Weber & Söhne", "support", "help@example.test", "privacy",
			"https://example.test/p", "color", "#7A1F5C", "color_dark", "#f0a8d8"); got.Status != http.StatusSeeOther {
			t.Fatalf("saving: %d\n%s", got.Status, got.Body)
		}
		for i, server := range both {
			server.within(time.Second, func() bool {
				return strings.Contains(server.visitor("").fetch("GET", "/login").Body, "Weber &amp; Söhne")
			}, "server %d does not know the name", i)
			page := server.visitor("").fetch("GET", "/login")
			if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy,
				"style-src 'self'; img-src 'self'") {
				t.Errorf("the policy is %s", policy)
			}
			for _, want := range []string{`href="mailto:help@example.test"`, `href="https://example.test/p"`,
				`<img class="mark" src="/brand-logo/`} {
				if !strings.Contains(page.Body, want) {
					t.Errorf("server %d lacks %s\n%s", i, want, page.Body)
				}
			}
			sheet := server.visitor("").fetch("GET", "/brand/"+inner(page.Body, `"`, `href="/brand/`))
			if !strings.Contains(sheet.Body, "--accent: light-dark(#7a1f5c, #f0a8d8)") ||
				sheet.Header.Get("Content-Type") != "text/css; charset=utf-8" {
				t.Errorf("server %d: %d %s", i, sheet.Status, sheet.Body)
			}
			logo := server.visitor("").fetch("GET", "/brand-logo/"+inner(page.Body, `"`, `src="/brand-logo/`))
			if drawn, err := png.Decode(bytes.NewReader([]byte(logo.Body))); err != nil || drawn.Bounds().Dx() != 96 {
				t.Errorf("server %d: the logo: %v", i, err)
			}
			for _, none := range []string{"/brand/0123456789abcdef.css", "/brand-logo/x.png"} {
				if got := server.visitor("").fetch("GET", none); got.Status != http.StatusNotFound {
					t.Errorf("%s: %d", none, got.Status)
				}
			}
		}
		admin.press("/admin/mail/test")
		var from string
		s.eventually("a mail is from whom the brand names", func() bool {
			files, _ := filepath.Glob(filepath.Join(s.dataDir(), "mail", "*.eml"))
			for _, file := range files {
				if raw, err := os.ReadFile(file); err == nil {
					from = senderOf(raw)
				}
			}
			return from == "Weber & Söhne"
		})
		if got := s.signedIn("person@example.test").fetch("GET", "/admin/brand"); got.Status != http.StatusForbidden {
			t.Errorf("somebody else: %d", got.Status)
		}
		if got := admin.upload("/admin/brand/logo", "logo",
			[]byte("<svg onload=alert(1)>")); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("an SVG: %d", got.Status)
		}
	})
}

// Rule: BRAND-3
func TestTheBrandIsSetByProgramAndOnTheCommandLine(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
	token := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
		"openid account:read account:write").text("access_token")
	if got := s.api(token, "PATCH", "/brand", `{"name":"By API","color":"#7a1f5c"}`); got.Status != http.StatusOK ||
		got.text("name") != "By API" {
		t.Errorf("the API: %d %s", got.Status, got.Body)
	}
	for _, wrong := range []string{`{"color":"#ffff00"}`, `{"nothing":"x"}`} {
		if got := s.api(token, "PATCH", "/brand", wrong); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", wrong, got.Status, got.Body)
		}
	}
	s.command("", "brand", "set", "name=By command", "color=")
	logo := filepath.Join(t.TempDir(), "logo.png")
	s.must(os.WriteFile(logo, picture(t), 0o600))
	s.command("", "brand", "logo", logo)
	got := s.api(token, "GET", "/brand", "")
	if got.text("name") != "By command" || got.text("color") != "" ||
		!strings.HasPrefix(got.text("logo"), "/brand-logo/") {
		t.Errorf("afterwards %s", got.Body)
	}
	if said := s.command("", "brand", "show"); !strings.Contains(said, "By command") {
		t.Errorf("the command line says %s", said)
	}
	s.within(time.Second, func() bool {
		return strings.Contains(s.visitor("").fetch("GET", "/login").Body,
			"By command")
	}, "pages go on")
	if got := s.api(token, "DELETE", "/brand/logo", ""); got.Status != http.StatusNoContent {
		t.Errorf("removing: %d %s", got.Status, got.Body)
	}
	trail := s.command("", "audit", "list", "--kind", "brand.set", "--ndjson")
	if strings.Count(trail, "brand.set") != 4 {
		t.Errorf("the trail has %s", trail)
	}
}

// senderOf returns what the sender of a mail is called.
func senderOf(raw []byte) string {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return ""
	}
	from, err := m.Header.AddressList("From")
	if err != nil || len(from) != 1 {
		return ""
	}
	return from[0].Name
}
