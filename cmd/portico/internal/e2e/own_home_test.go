package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"image/jpeg"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// ownAPI calls an operation of people's own with a bearer token.
func (s *site) ownAPI(token, method, path, body string) answer {
	s.Helper()
	r, err := http.NewRequest(method, s.URL+"/account/v1"+path, strings.NewReader(body))
	s.must(err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := try(s.plain, r)
	s.must(err)
	return got
}

// ownToken signs the person in for a program of their own.
func (s *site) ownToken(email string) string {
	s.Helper()
	tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
	return s.visitor(email).withPassword().tokens(tool, "scope", "openid account:read account:write").text("access_token")
}

// unzipped returns the files of an archive.
func unzipped(t *testing.T, body string) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatalf("%v in %d bytes", err, len(body))
	}
	files := map[string]string{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// Rule: HOME-16
func TestPagesOfTheOwnAccountCallTheWayHomeAlike(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	v := s.signedIn("person@example.test")
	for _, page := range []string{"apps", "data", "delete", "events", "identities", "open", "profile", "security"} {
		shown := v.fetch("GET", "/account/"+page).Body
		if got := inner(shown, "<", `<p class="back"><a href="/">`, "<bdi>"); got != "Your account" {
			t.Errorf("%s: the way home is called %q", page, got)
		}
	}
}

// Rule: HOME-8
func TestAPersonTakesAllThereIsOfThem(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		c := connect(s)
		c.person.upload("/account/picture", "portrait", picture(t))
		dev := s.signedIn("dev@example.test")
		want := map[string][]string{
			"profile.json":            {c.userID, "person@example.test"},
			"sessions.json":           {`"last_seen_at"`, `"user_agent"`},
			"apps-with-access.json":   {c.app.ID, "data:read"},
			"security-events.json":    {"user.signed_in", "consent.granted", "Example App", "user.portrait_set"},
			"connected-accounts.json": {"[", "]"},
			"second-factors.json":     {"[", "]"},
			"my-apps.json":            {"[", "]"},
			"memberships.json":        {"[", "]"},
			"added-versions.json":     {"[", "]"},
			"transmittals.json":       {"[", "]"},
			"portrait.jpg":            {"\xff\xd8"},
		}
		page := c.person.fetch("GET", "/account/data/archive.zip")
		api := s.ownAPI(s.ownToken("person@example.test"), "GET", "/archive", "")
		for name, got := range map[string]answer{"page": page, "API": api} {
			if got.Header.Get("Content-Type") != "application/zip" ||
				!strings.Contains(got.Header.Get("Content-Disposition"), "attachment") ||
				got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %v", name, got.Header)
			}
			files := unzipped(t, got.Body)
			for file, words := range want {
				for _, word := range words {
					if !strings.Contains(files[file], word) {
						t.Errorf("%s: %s lacks %q: %.300s", name, file, word, files[file])
					}
				}
				if strings.HasSuffix(file, ".json") && !json.Valid([]byte(files[file])) {
					t.Errorf("%s: %s is no JSON: %s", name, file, files[file])
				}
			}
			if all := strings.Join([]string{files["profile.json"], files["sessions.json"], files["security-events.json"]},
				""); len(files) != len(want) || strings.Contains(all, "dev@example.test") {
				t.Errorf("%s: %d files, or somebody else's", name, len(files))
			}
		}
		if mine := unzipped(t, dev.fetch("GET", "/account/data/archive.zip").Body)["my-apps.json"]; !strings.Contains(mine,
			c.app.ID) {
			t.Errorf("the developer's apps: %s", mine)
		}
		if got := s.visitor("").fetch("GET", "/account/data/archive.zip"); got.Status != http.StatusSeeOther {
			t.Errorf("nobody gets %d", got.Status)
		}
		got := s.command("", "user", "archive", "person@example.test")
		if files := unzipped(t, got); len(files) != len(want) {
			t.Errorf("the command line: %d files", len(files))
		}
	})
}

// Rule: HOME-7
func TestAPersonReadsWhatHappenedToTheirAccount(t *testing.T) {
	s := start(t, sqliteURL(t))
	c := connect(s)
	s.command("", "user", "update", "person@example.test", "--admin")
	page := c.person.fetch("GET", "/account/events").Body
	for _, want := range []string{"You signed in", "You let an app act for you (Example App)",
		"You became an administrator", "by an administrator", "127.0.0.1"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if other := s.signedIn("dev@example.test").fetch("GET", "/account/events").Body; strings.Contains(other,
		"Example App") || strings.Contains(other, "administrator (") {
		t.Errorf("somebody else reads\n%s", other)
	}
	listed := s.ownAPI(s.ownToken("person@example.test"), "GET", "/events", "")
	if listed.Status != http.StatusOK || !strings.Contains(listed.Body, `"kind":"user.promoted","by":"administrator"`) {
		t.Errorf("the API: %d %s", listed.Status, listed.Body)
	}
	s.command("", "client", "delete", "--yes", c.app.ID)
	if page := c.person.fetch("GET", "/account/events").Body; !strings.Contains(page, "an app that is gone") {
		t.Errorf("of an app that is gone it says\n%s", page)
	}
}

// Rule: HOME-10
func TestAPersonDeletesTheirAccountAndAllEndsEverywhere(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		both := twinsOn(t, database)
		s := both[0]
		c := connect(s)
		ask := c.person.fetch("GET", "/account/delete")
		for _, want := range []string{"What goes", "What stays", "a former member", `id="leave-submit"`,
			"Download your data first"} {
			if !strings.Contains(ask.Body, want) {
				t.Errorf("the question lacks %q:\n%s", want, ask.Body)
			}
		}
		for i, server := range both {
			if !c.alive(server) {
				t.Fatalf("server %d does not take the tokens to begin with", i)
			}
		}
		form, err := c.person.open(s.URL + "/account/delete")
		s.must(err)
		got := c.person.press("/account/delete")
		if got.Status != http.StatusSeeOther || got.Header.Get("Location") != "/account/deleted" ||
			!strings.Contains(got.Header.Get("Set-Cookie"), "Max-Age=0") {
			t.Fatalf("deleting: %d %v\n%s", got.Status, got.Header, got.Body)
		}
		if again, err := c.person.submit(form, "leave", nil); err != nil || again.At.Path != "/account/deleted" {
			t.Errorf("a second click: %v, %v", again.At, err)
		}
		if got := s.visitor("").press("/account/delete?by=" + c.userID); got.Status != http.StatusForbidden {
			t.Errorf("anybody learns that there is no such account: %d %v", got.Status, got.Header)
		}
		for i, server := range both {
			c.dead(server, "server %d goes on taking tokens", i)
		}
		if got := c.person.fetch("GET", "/account/deleted"); got.Status != http.StatusOK ||
			!strings.Contains(got.Body, "Your account is deleted") {
			t.Errorf("afterwards: %d\n%s", got.Status, got.Body)
		}
		if got := s.visitor("").fetch("GET", "/account/deleted"); got.Status != http.StatusOK {
			t.Errorf("anybody: %d", got.Status)
		}
		s.mailed("person@example.test", "account-deleted")
		trail := s.command("", "audit", "list", "--kind", "user.deleted", "--ndjson")
		if !strings.Contains(trail, c.userID) || strings.Contains(trail, "person@example.test") {
			t.Errorf("the trail has %s", trail)
		}
	})
}

// Rule: HOME-10
func TestWhoIsNeededHandsOverFirst(t *testing.T) {
	s := start(t, sqliteURL(t))
	c := connect(s)
	admin := s.person("admin@example.test", "--admin")
	s.person("other@example.test")
	s.command("", "user", "update", "other@example.test", "--set", "ldap_domain=corp.example.test")
	dev, boss, directed := s.signedIn("dev@example.test"), s.signedIn("admin@example.test"),
		s.signedIn("other@example.test")
	for name, one := range map[string]struct {
		v     *visitor
		says  string
		email string
	}{
		"the owner of an app":    {dev, "Nobody else manages this app", "dev@example.test"},
		"the last administrator": {boss, "only administrator who can sign in", "admin@example.test"},
		"one of a directory":     {directed, "corp.example.test", "other@example.test"},
	} {
		ask := one.v.fetch("GET", "/account/delete")
		if !strings.Contains(ask.Body, one.says) || strings.Contains(ask.Body, `id="leave-submit"`) {
			t.Errorf("%s is asked\n%s", name, ask.Body)
		}
		if got := one.v.press("/account/delete"); got.Status != http.StatusConflict {
			t.Errorf("%s: %d\n%s", name, got.Status, got.Body)
		}
		if got := s.ownAPI(s.ownToken(one.email), "DELETE", "/account", ""); got.Status != http.StatusConflict {
			t.Errorf("%s, by API: %d %s", name, got.Status, got.Body)
		}
	}
	if got := boss.press("/admin/users/" + admin + "/demote"); got.Status != http.StatusConflict {
		t.Errorf("the last administrator steps down: %d", got.Status)
	}
	s.command("", "user", "update", "admin@example.test", "--set", "email_verified=true")
	boss.press("/admin/apps/"+c.app.ID+"/members", "member", "admin@example.test")
	if ask := dev.fetch("GET", "/account/delete"); !strings.Contains(ask.Body, "owns from then on") ||
		!strings.Contains(ask.Body, `id="leave-submit"`) {
		t.Errorf("with somebody who manages it:\n%s", ask.Body)
	}
	if got := dev.press("/account/delete"); got.Status != http.StatusSeeOther {
		t.Errorf("the owner goes: %d\n%s", got.Status, got.Body)
	}
	if got := boss.fetch("GET", "/apps/"+c.app.ID); got.Status != http.StatusOK ||
		strings.Contains(got.Body, "dev@example.test") {
		t.Errorf("who owns it now: %d\n%s", got.Status, got.Body)
	}
}

// Rule: HOME-9
func TestThePictureOfAPersonIsInTheirClaims(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("person@example.test")
		c := s.client("--redirect-uri", callback, "--scope", "openid profile user-profile:read account:read account:write")
		v := s.signedIn("person@example.test")
		token := v.tokens(c, "scope", "openid profile user-profile:read account:read account:write").text("access_token")
		if got := v.upload("/account/picture", "portrait", picture(t)); got.Status != http.StatusSeeOther {
			t.Fatalf("setting: %d\n%s", got.Status, got.Body)
		}
		var claims struct {
			Picture    string            `json:"picture"`
			Thumbnails map[string]string `json:"thumbnails"`
		}
		s.must(json.Unmarshal([]byte(s.userInfo(token).Body), &claims))
		for name, side := range map[string]int{"sizeX20": 20, "sizeX40": 40, "sizeX50": 50, "sizeX58": 58, "sizeX80": 80,
			"sizeX120": 120, "sizeX160": 160, "sizeX176": 176, "sizeX240": 240, "sizeX360": 360} {
			path, ours := strings.CutPrefix(claims.Thumbnails[name], s.URL)
			got := s.visitor("").fetch("GET", path)
			drawn, err := jpeg.Decode(bytes.NewReader([]byte(got.Body)))
			if !ours || err != nil || drawn.Bounds().Dx() != side || drawn.Bounds().Dy() != side {
				t.Errorf("%s: %s, %v", name, claims.Thumbnails[name], err)
			}
			for header, want := range map[string]string{
				"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff",
				"Cache-Control":           "public, max-age=31536000, immutable",
				"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
			} {
				if got.Header.Get(header) != want {
					t.Errorf("%s: %s: %q", name, header, got.Header.Get(header))
				}
			}
		}
		if claims.Picture != claims.Thumbnails["sizeX360"] || len(claims.Thumbnails) != 10 {
			t.Errorf("the claims are %+v", claims)
		}
		if home := v.fetch("GET", "/").Body; !strings.Contains(home, `<img class="portrait" src="/portraits/`) {
			t.Errorf("the home page lacks it\n%s", home)
		}
		for name, file := range map[string][]byte{"an SVG": []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "nothing": nil, "too much": bytes.Repeat([]byte("x"), 6<<20)} {
			if got := v.upload("/account/picture", "portrait", file); got.Status != http.StatusUnprocessableEntity ||
				!strings.Contains(got.Body, `id="error-portrait"`) {
				t.Errorf("%s: %d\n%.500s", name, got.Status, got.Body)
			}
		}
		path := strings.TrimPrefix(claims.Picture, s.URL)
		for _, none := range []string{strings.Replace(path, "X360", "X361", 1), strings.TrimSuffix(path, ".jpg"),
			"/portraits/x/sizeX20.jpg"} {
			if got := s.visitor("").fetch("GET", none); got.Status != http.StatusNotFound {
				t.Errorf("%s: %d", none, got.Status)
			}
		}
		v.press("/account/picture/delete")
		if got := s.visitor("").fetch("GET", path); got.Status != http.StatusNotFound ||
			strings.Contains(s.userInfo(token).Body, "thumbnails") {
			t.Errorf("after it was removed: %d", got.Status)
		}
	})
}

// Rule: HOME-11
func TestAPersonChoosesTheLanguageOfTheirPages(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	v := s.signedIn("person@example.test")
	p, err := v.open(s.URL + "/account/language")
	s.must(err)
	if !strings.Contains(p.Body, `<strong lang="fr">Français</strong>`) {
		t.Errorf("nothing says in which language a language is called\n%s", p.Body)
	}
	wrong, err := v.submit(p, "language-form", form("locale", "de", "zoneinfo", "Nowhere"))
	s.must(err)
	if wrong.Status != http.StatusUnprocessableEntity || !strings.Contains(wrong.Body, `id="error-zoneinfo"`) {
		t.Errorf("a zone that is none: %d\n%s", wrong.Status, wrong.Body)
	}
	p, err = v.submit(p, "language-form", form("locale", "de", "zoneinfo", "Europe/Berlin"))
	s.must(err)
	if !strings.Contains(p.Body, `<html lang="de"`) || !strings.Contains(p.Body, "gespeichert") {
		t.Errorf("afterwards\n%s", p.Body)
	}
	if got := v.fetch("GET", "/account/sessions", "Accept-Language", "fr"); !strings.Contains(got.Body,
		`<html lang="de"`) || strings.Contains(got.Body, "UTC</time>") {
		t.Errorf("another page\n%s", got.Body)
	}
	s.command("", "user", "update", "person@example.test", "--set", "locale=de-AT")
	p, err = v.open(s.URL + "/account/language")
	s.must(err)
	p, err = v.submit(p, "language-form", form("locale", "de", "zoneinfo", ""))
	s.must(err)
	if got := s.command("", "user", "show", "person@example.test"); !strings.Contains(got, "de-AT") {
		t.Errorf("a finer language is lost: %s", got)
	}
	p, err = v.submit(p, "language-form", form("locale", "", "zoneinfo", ""))
	s.must(err)
	if !strings.Contains(p.Body, `<html lang="en"`) {
		t.Errorf("as the browser wants it\n%s", p.Body)
	}
}

// Rule: HOME-12
func TestPeopleLookAfterTheirAccountByProgram(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		c := connect(s)
		token := s.ownToken("person@example.test")
		must := func(status int, method, path, body string) answer {
			t.Helper()
			got := s.ownAPI(token, method, path, body)
			if got.Status != status {
				t.Errorf("%s %s: %d %s", method, path, got.Status, got.Body)
			}
			return got
		}
		if got := must(200, "GET", "/profile", ""); got.text("id") != c.userID {
			t.Errorf("it is the profile of %s", got.text("id"))
		}
		if got := must(200, "PATCH", "/profile", `{"fields":{"nickname":"Nick","locale":"de"}}`); !strings.Contains(got.Body,
			`"nickname":"Nick"`) {
			t.Errorf("the profile is %s", got.Body)
		}
		for _, field := range []string{"email", "email_verified", "preferred_username", "ldap_domain",
			"eidm_guid", "nothing"} {
			must(422, "PATCH", "/profile", `{"fields":{"`+field+`":"x"}}`)
		}
		if got := must(200, "GET", "/apps", ""); !strings.Contains(got.Body, c.app.ID) {
			t.Errorf("the apps are %s", got.Body)
		}
		must(204, "DELETE", "/apps/"+c.app.ID, "")
		c.dead(s, "the app goes on")
		must(404, "DELETE", "/apps/"+c.app.ID, "")
		must(404, "DELETE", "/picture", "")
		must(202, "POST", "/address", `{"email":"next@example.test"}`)
		must(422, "POST", "/address", `{"email":"next"}`)
		for _, email := range []string{"person@example.test", "nobody@example.test"} {
			if got := s.ownAPI("", "POST", "/recovery", `{"email":"`+email+`"}`); got.Status != http.StatusAccepted ||
				got.Body != "" {
				t.Errorf("recovery of %s: %d %s", email, got.Status, got.Body)
			}
		}
		s.mailed("next@example.test", "address-new")
		listed := must(200, "GET", "/sessions", "")
		id := inner(listed.Body, `"`, `"id":"`)
		other := s.ownToken("dev@example.test")
		if got := s.ownAPI(other, "DELETE", "/sessions/"+id, ""); got.Status != http.StatusNotFound {
			t.Errorf("somebody else ends it: %d %s", got.Status, got.Body)
		}
		must(204, "DELETE", "/sessions/"+id, "")
		must(204, "DELETE", "/sessions", "")
		s.within(time.Second, func() bool {
			return s.ownAPI(token, "GET", "/profile",
				"").Status == http.StatusUnauthorized
		}, "the token lives on")
		for _, route := range routesBelow(t, "/account/v1/") {
			path := strings.TrimPrefix(variables.ReplaceAllString(route.template, "x"), "/account/v1")
			if got := s.ownAPI("", route.method, path, ""); got.Status != http.StatusUnauthorized && path != "/recovery" {
				t.Errorf("nobody: %s %s: %d", route.method, path, got.Status)
			}
		}
	})
}

// Rule: HOME-13
func TestWhoIsGoneIsAFormerMember(t *testing.T) {
	s := start(t, sqliteURL(t))
	c := connect(s)
	dev := s.signedIn("dev@example.test")
	before := c.person.fetch("GET", connectedPath).Body
	s.command("", "user", "delete", "--yes", "dev@example.test")
	if got := dev.fetch("GET", "/apps"); got.Status != http.StatusSeeOther {
		t.Errorf("the sign-in lives: %d", got.Status)
	}
	after := c.person.fetch("GET", connectedPath).Body
	if !strings.Contains(before, "An app by <bdi>Demo Person</bdi>") ||
		!strings.Contains(after, "An app by a former member") || strings.Contains(after, "operator") {
		t.Errorf("the apps with access\n%s", after)
	}
	c.person.press(c.withdrawPath())
	p, err := c.person.open(s.authorizeURL(c.app, "scope", "openid email data:read"))
	s.must(err)
	if p.At.Path != "/consent" || !strings.Contains(p.Body, "An app by a former member") {
		t.Errorf("the consent page at %s\n%s", p.At, p.Body)
	}
}
