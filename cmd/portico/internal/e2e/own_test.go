package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const fresh = "a-fresh-violin-for-tuesday"

// Rule: HOME-4
func TestAPersonChangesTheirPasswordAndEverythingElseEnds(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		second := start(t, database)
		s.person("person@example.test")
		c := s.client("--redirect-uri", callback, "--scope", "openid", "--scope", "offline_access",
			"--scope", "user-profile:read")
		here, there := s.signedIn("person@example.test"), s.signedIn("person@example.test")
		tokens := there.tokens(c, "scope", "openid offline_access user-profile:read")
		p, err := here.open(s.URL + "/account/password")
		s.must(err)
		for name, values := range map[string][2]string{"not alike": {fresh, "other"},
			"too short": {"short", "short"}, "empty": {"", ""}} {
			if refused, err := here.submit(p, "password-form", form("password", values[0], "again", values[1])); err != nil ||
				refused.Status != http.StatusUnprocessableEntity ||
				!strings.Contains(refused.Body, `id="form-errors"`) {
				t.Errorf("%s: %d %v", name, refused.Status, err)
			}
		}
		if got := there.fetch("GET", "/account/sessions"); got.Status != http.StatusOK {
			t.Errorf("what was refused ended the other sign-in: %d", got.Status)
		}
		p, err = here.submit(p, "password-form", form("password", fresh, "again", fresh))
		s.must(err)
		if p.Status != http.StatusOK || p.At.Path != "/account/sessions" || !strings.Contains(p.Body, `id="done"`) ||
			strings.Contains(p.Body, `id="end-others"`) {
			t.Errorf("it leads to %s, %d\n%s", p.At, p.Status, p.Body)
		}
		time.Sleep(time.Second)
		for name, server := range map[string]*site{"the same server": s, "another": second} {
			away := *there
			away.site = server
			if got := away.fetch("GET", "/account/sessions"); got.Status != http.StatusSeeOther {
				t.Errorf("%s: the other sign-in lives: %d", name, got.Status)
			}
			if got := server.userInfo(tokens.text("access_token")); got.Status != http.StatusUnauthorized {
				t.Errorf("%s: the access token lives: %d", name, got.Status)
			}
			if got := server.token(c, "grant_type", "refresh_token", "refresh_token",
				tokens.text("refresh_token")); got.Status != http.StatusBadRequest {
				t.Errorf("%s: the refresh token lives: %d", name, got.Status)
			}
		}
		for word, want := range map[string]int{password: http.StatusUnprocessableEntity, fresh: http.StatusOK} {
			v := s.visitor("person@example.test")
			v.password = word
			if got, err := v.through(v.open(s.URL + "/account/sessions")); err != nil || got.Status != want {
				t.Errorf("the password %q: %d %v", word, got.Status, err)
			}
		}
	})
}

// Rule: HOME-5
func TestAPersonSeesAndEndsTheirSignIns(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	s.person("other@example.test")
	here, other := s.signedIn("person@example.test"), s.signedIn("other@example.test")
	there := s.visitor("person@example.test")
	there.http.Transport = agent{there.http.Transport,
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	_, err := there.through(there.open(s.URL + "/apps"))
	s.must(err)
	page := here.fetch("GET", "/account/sessions").Body
	if !strings.Contains(page, "Firefox on Linux") || strings.Count(page, `name="session"`) != 1 {
		t.Errorf("the page says\n%s", page)
	}
	ends := func(v *visitor, session string) answer { return v.press("/account/sessions", "session", session) }
	id := inner(page, `"`, `name="session" value="`)
	if ends(other, id); there.fetch("GET", "/account/sessions").Status != http.StatusOK {
		t.Error("somebody else ended it")
	}
	if got := ends(here, id); got.Status != http.StatusSeeOther ||
		there.fetch("GET", "/account/sessions").Status != http.StatusSeeOther {
		t.Errorf("the person did not end it: %d", got.Status)
	}
	_, err = there.through(there.open(s.URL + "/apps"))
	s.must(err)
	if got := here.press("/account/sessions/end-others"); got.Status != http.StatusSeeOther ||
		there.fetch("GET", "/account/sessions").Status != http.StatusSeeOther {
		t.Errorf("the others were not ended: %d", got.Status)
	}
	if got := here.fetch("GET", "/account/sessions"); got.Status != http.StatusOK ||
		strings.Contains(got.Body, `name="session"`) {
		t.Errorf("here: %d\n%s", got.Status, got.Body)
	}
}

// Rule: PAGE-11
func TestTheSetUpSaysAllThatIsWrongAtOnce(t *testing.T) {
	s := newSite(t, sqliteURL(t))
	s.spawn()
	link, err := os.ReadFile(filepath.Join(s.dataDir(), "setup-url"))
	s.must(err)
	v := s.visitor("admin@example.test")
	p, err := v.open(strings.TrimSpace(string(link)))
	s.must(err)
	p, err = v.submit(p, "setup-form", form("name", "", "email", "nobody", "password", "x", "again", "y"))
	s.must(err)
	for _, field := range []string{"name", "email", "password", "again"} {
		if !strings.Contains(p.Body, `id="error-`+field+`"`) {
			t.Errorf("nothing is said of %s\n%s", field, p.Body)
		}
	}
	p, err = v.submit(p, "setup-form", form("name", "Administrator", "email", "admin@example.test", "password",
		password, "again", password))
	s.must(err)
	if p.At.Path != "/login" || !strings.Contains(p.Body, `role="status"`) {
		t.Errorf("it leads to %s\n%s", p.At, p.Body)
	}
}

// Rule: HOME-6
func TestAPersonEditsTheirProfile(t *testing.T) {
	s := start(t, sqliteURL(t))
	id := s.person("person@example.test")
	c := s.client("--redirect-uri", callback, "--scope", "openid", "--scope", "profile", "--scope", "email")
	v := s.signedIn("person@example.test")
	p, err := v.open(s.URL + "/account/profile")
	s.must(err)
	told := map[string]string{
		"name": "A Person", "middle_name": "Middle", "nickname": "Nick",
		"website": "https://example.test/", "gender": "other",
		"birthdate": "1999-12-31",
	}
	values := form("email", "elsewhere@example.test", "preferred_username", "taken", "eidm_guid",
		"somebody-else", "email_verified", "")
	for name, value := range told {
		values.Set(name, value)
	}
	wrong := form("name", "", "birthdate", "1999-02-29")
	refused, err := v.submit(p, "profile-form", wrong)
	s.must(err)
	for name := range wrong {
		if refused.Status != http.StatusUnprocessableEntity || !strings.Contains(refused.Body, `id="error-`+name+`"`) {
			t.Errorf("nothing is said of %s: %d", name, refused.Status)
		}
	}
	p, err = v.submit(p, "profile-form", values)
	s.must(err)
	if p.Status != http.StatusOK || !strings.Contains(p.Body, `id="done"`) {
		t.Errorf("saved: %d\n%s", p.Status, p.Body)
	}
	s.command("", "user", "update", id, "--set", "zoneinfo=America/New_York")
	info := s.userInfo(v.tokens(c, "scope", "openid profile email").text("access_token"))
	for name, want := range told {
		if got := info.text(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if info.text("email") != "person@example.test" || info.text("sub") != id ||
		info.text("preferred_username") == "taken" {
		t.Errorf("the person changed what is not theirs to change: %s", info.Body)
	}
	if page := v.fetch("GET", "/account/sessions").Body; !strings.Contains(page, " EST</time>") &&
		!strings.Contains(page, " EDT</time>") {
		t.Errorf("times are not in their zone:\n%s", page)
	}
}
