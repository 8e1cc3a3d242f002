package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

const connectedPath = "/account/apps"

// connection is an app of a developer that may act for a person, who is signed
// in.
type connection struct {
	*site
	app     client
	person  *visitor
	userID  string
	access  string
	refresh string
}

func connect(s *site) *connection {
	s.Helper()
	s.person("dev@example.test")
	c := &connection{site: s, userID: s.person("person@example.test")}
	id, created := s.signedIn("dev@example.test").registered("web",
		"name", "Example App", "scopes.openid", "on", "scopes.email", "on", "scopes.data:read", "on")
	c.app = client{ID: id, Secret: inner(created.Body, "<", `id="revealed-client-secret"`, ">"),
		RedirectURIs: []string{callback}}
	c.person = s.signedIn("person@example.test")
	c.grant()
	return c
}

// grant lets the app act for the person, asking them if it must.
func (c *connection) grant() {
	c.Helper()
	tokens := c.person.tokens(c.app, "scope", "openid email data:read")
	c.access, c.refresh = tokens.text("access_token"), tokens.text("refresh_token")
}

func (c *connection) withdrawPath() string { return connectedPath + "/" + c.app.ID + "/withdraw" }

// dead waits until a server takes none of the tokens.
func (c *connection) dead(s *site, format string, args ...any) {
	c.Helper()
	s.within(time.Second, func() bool {
		return s.userInfo(c.access).Status == http.StatusUnauthorized &&
			s.refresh(c.app, c.refresh).is(http.StatusBadRequest, "invalid_grant") &&
			strings.Contains(s.send(introspectPath, c.app, "token", c.access).Body, `"active":false`)
	}, format, args...)
}

func (c *connection) alive(s *site) bool { return s.userInfo(c.access).Status == http.StatusOK }

// Rule: HOME-1
func TestAPersonSeesAndWithdrawsTheAppsWithAccess(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		c := connect(s)
		if home := c.person.fetch("GET", "/"); !strings.Contains(home.Body, `href="`+connectedPath+`"`) {
			t.Errorf("the home page leads nowhere:\n%s", home.Body)
		}
		shown := c.person.fetch("GET", connectedPath)
		for _, want := range []string{"Example App", "An app by <bdi>Demo Person</bdi>", "See your e-mail address",
			"See your projects, folders and files", "Since <time", "last connected <time", "ends <time", c.withdrawPath()} {
			if !strings.Contains(shown.Body, want) {
				t.Errorf("the page lacks %q:\n%s", want, shown.Body)
			}
		}
		ask := c.person.fetch("GET", c.withdrawPath())
		if ask.Status != http.StatusOK || !strings.Contains(ask.Body, "within a second") || !c.alive(s) {
			t.Errorf("it asks first: %d\n%s", ask.Status, ask.Body)
		}
		for range 2 { // a second press does no harm
			got := c.person.press(c.withdrawPath())
			if got.Status != http.StatusSeeOther || got.Header.Get("Location") != connectedPath+"?done=withdrawn" {
				t.Fatalf("withdrawing: %d %s\n%s", got.Status, got.Header.Get("Location"), got.Body)
			}
		}
		c.dead(s, "tokens outlive the withdrawal")
		if got := c.person.fetch("GET", connectedPath+"?done=withdrawn"); !strings.Contains(got.Body,
			"can’t act for you any more") || strings.Contains(got.Body, c.app.ID) {
			t.Errorf("afterwards:\n%s", got.Body)
		}
		if got := c.person.fetch("GET", c.withdrawPath()); got.Status != http.StatusNotFound {
			t.Errorf("asking again: %d", got.Status)
		}
		trail := s.command("", "audit", "list", "--kind", "consent.withdrawn", "--ndjson")
		if strings.Count(trail, "consent.withdrawn") != 1 || !strings.Contains(trail, c.userID) ||
			!strings.Contains(trail, c.app.ID) {
			t.Errorf("the trail has %s", trail)
		}
		p, err := c.person.open(s.authorizeURL(c.app, "scope", "openid email data:read"))
		s.must(err)
		if p.Away != nil || p.At.Path != "/consent" {
			t.Errorf("the app is not asked about again: %s, %v", p.At, p.Away)
		}
		c.grant()
		if !c.alive(s) {
			t.Error("an app that was allowed again gets nothing")
		}
	})
}

// Rule: HOME-1
func TestAPersonSeesWhatAnAppCanDoAtAResource(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		const chat = "https://chat.example.test/mcp"
		s := newSite(t, database, "MCP=on")
		s.command("", "resource", "create", chat, "scope=chat:read", "everyone=true")
		s.run()
		s.person("person@example.test")
		person := s.signedIn("person@example.test")
		for resource, c := range map[string]struct{ scope, words string }{
			chat:           {"chat:read", "Use " + chat + " in your name, with the right “chat:read”"},
			s.URL + "/mcp": {"data:read", "See your projects, folders and files, by way of " + s.URL + "/mcp"},
		} {
			app := s.client("--redirect-uri", callback, "--scope", "openid data:read")
			tokens := person.tokens(app, "scope", "openid "+c.scope, "resource", resource)
			for _, when := range []string{"while it is connected", "when it has no tokens any more"} {
				_, page, _ := strings.Cut(person.fetch("GET", connectedPath).Body, "<section")
				listed := s.command("", "consent", "list", "person@example.test", "--json")
				if strings.Count(page, "<li>") != 2 || !strings.Contains(page, c.words) ||
					!strings.Contains(listed, `"`+c.scope+`\\`+resource+`"`) {
					t.Errorf("%s, %s: %s\n%s", resource, when, listed, page)
				}
				s.send(revokePath, app, "token", tokens.text("refresh_token"), "token_type_hint", "refresh_token")
			}
			if resource == chat {
				s.command("", "resource", "disable", chat)
				s.within(time.Second, func() bool {
					return !strings.Contains(person.fetch("GET", connectedPath).Body, chat)
				}, "after the resource was disabled it is named")
			}
			person.press(connectedPath + "/" + app.ID + "/withdraw")
		}
	})
}

// Rules: HOME-1, RES-17
func TestAResourceThatEndedIsNoneThatAnAppHasAccessTo(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		const chat, files = "https://chat.example.test/", "https://files.example.test/"
		s := newSite(t, database, "TOKEN_AUDIENCE=apis")
		for _, one := range []string{chat, files} {
			s.command("", "resource", "create", one, "scope=use", "everyone=true")
		}
		s.run()
		s.person("person@example.test")
		person := s.signedIn("person@example.test")
		asked := s.client("--redirect-uri", callback, "--scope", "openid data:read")
		trusted := s.client("--redirect-uri", callback, "--scope", "openid data:read", "--first-party")
		names := func(at string) func() bool {
			return func() bool { return strings.Contains(person.fetch("GET", connectedPath).Body, at) }
		}
		neither := func(at string) func() bool { return func() bool { return !names(at)() } }

		person.tokens(trusted, "scope", "openid use", "resource", chat)
		s.within(0, names(chat), "the app of the server is said to have no access")
		s.command("", "resource", "disable", chat)
		s.within(time.Second, neither(chat), "a resource that is disabled is named")
		s.command("", "resource", "enable", chat)
		if time.Sleep(time.Second); names(chat)() {
			t.Error("a resource whose grant has ended is named once it is enabled")
		}
		person.tokens(trusted, "scope", "openid use", "resource", chat)
		s.within(0, names(chat), "it is not named once it is granted anew")

		person.tokens(asked, "scope", "openid use", "resource", files)
		s.within(0, names(files), "what a person allowed is not named")
		s.command("", "resource", "delete", files, "--yes")
		s.command("", "resource", "create", files, "scope=use", "everyone=true")
		if time.Sleep(2 * time.Second); names(files)() {
			t.Error("a resource is named that came after the one that a person allowed")
		}
		person.tokens(asked, "scope", "openid use", "resource", files)
		s.within(0, names(files), "it is not named once it is allowed")

		person.press(connectedPath + "/" + trusted.ID + "/withdraw")
		person.tokens(trusted, "scope", "openid data:read", "resource", s.URL)
		s.within(0, names("See your projects"), "what an app of the server can do at our own APIs is not said")
	})
}

// Rule: HOME-2
func TestNobodyWithdrawsForSomebodyElse(t *testing.T) {
	s := start(t, sqliteURL(t))
	c := connect(s)
	s.person("other@example.test")
	other := s.signedIn("other@example.test")
	if got := other.fetch("GET", connectedPath); !strings.Contains(got.Body, "No app may act for you") {
		t.Errorf("somebody else sees\n%s", got.Body)
	}
	if got := other.fetch("GET", c.withdrawPath()); got.Status != http.StatusNotFound ||
		strings.Contains(got.Body, "Example App") {
		t.Errorf("the question is there for others: %d\n%s", got.Status, got.Body)
	}
	if got := other.press(c.withdrawPath()); got.Status != http.StatusSeeOther { // it has no access to them
		t.Errorf("somebody else's answer: %d\n%s", got.Status, got.Body)
	}
	nothing := connectedPath + "/nothing/withdraw"
	if get, post := other.fetch("GET", nothing), other.press(nothing); get.Status != http.StatusNotFound ||
		post.Status != http.StatusNotFound {
		t.Errorf("an app that is not there: %d, %d", get.Status, post.Status)
	}
	nobody := s.visitor("")
	if got := nobody.press(c.withdrawPath()); got.Status != http.StatusForbidden {
		t.Errorf("after the session: %d\n%s", got.Status, got.Body)
	}
	if got := nobody.fetch("GET", connectedPath); got.Status != http.StatusSeeOther ||
		got.Header.Get("Location") != "/login?then=%2Faccount%2Fapps" {
		t.Errorf("nobody is led to %s", got.Header.Get("Location"))
	}
	if !c.alive(s) {
		t.Error("the tokens of the person ended")
	}
}

// Rule: HOME-3
func TestAppsOfTheServerAreShownAndWithdrawnToo(t *testing.T) {
	s := start(t, sqliteURL(t))
	c := connect(s)
	s.command("", "client", "update", c.app.ID, "--first-party")
	s.command("", "consent", "withdraw", c.userID, c.app.ID)
	s.within(time.Second, func() bool {
		p, err := c.person.open(s.authorizeURL(c.app, "scope", "openid email data:read"))
		return err == nil && p.Away != nil
	}, "an app of the server asks")
	c.grant()
	if got := c.person.fetch("GET", connectedPath); !strings.Contains(got.Body, "Example App") {
		t.Errorf("an app that was not to ask is not shown:\n%s", got.Body)
	}
	if got := c.person.fetch("GET", c.withdrawPath()); !strings.Contains(got.Body, "gives it access again") {
		t.Errorf("it does not say what follows:\n%s", got.Body)
	}
	c.person.press(c.withdrawPath())
	c.dead(s, "tokens of an app of the server outlive the withdrawal")
}

// Rule: HOME-1
func TestAWithdrawalActsOnASecondServerWhoeverMakesIt(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		both := twinsOn(t, database)
		s := both[0]
		c := connect(s)
		s.person("admin@example.test", "--admin")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
		admin := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
			"openid account:read account:write").text("access_token")
		consents := "/users/" + c.userID + "/consents"
		for name, withdraw := range map[string]func(){
			"on the page": func() { c.person.press(c.withdrawPath()) },
			"by an administrator's program": func() {
				listed := s.api(admin, "GET", consents, "")
				if listed.Status != http.StatusOK || !strings.Contains(listed.Body, c.app.ID) ||
					!strings.Contains(listed.Body, `"data:read"`) {
					t.Errorf("the list: %d %s", listed.Status, listed.Body)
				}
				if got := s.api(admin, "DELETE", consents+"/"+c.app.ID, ""); got.Status != http.StatusNoContent {
					t.Errorf("withdrawing: %d %s", got.Status, got.Body)
				}
				for _, path := range []string{consents + "/" + c.app.ID, consents + "/nothing",
					"/users/nobody/consents/" + c.app.ID} {
					if got := s.api(admin, "DELETE", path, ""); got.Status != http.StatusNotFound {
						t.Errorf("%s, which is not there: %d %s", path, got.Status, got.Body)
					}
				}
				if got := s.api(admin, "GET", "/users/nobody/consents", ""); got.Status != http.StatusNotFound {
					t.Errorf("of nobody: %d", got.Status)
				}
			},
			"on the command line": func() {
				if listed := s.command("", "consent", "list", "person@example.test"); !strings.Contains(listed, c.app.ID) {
					t.Errorf("the list: %s", listed)
				}
				s.command("", "consent", "withdraw", "person@example.test", c.app.ID)
			},
		} {
			c.grant()
			for i, server := range both {
				if !c.alive(server) {
					t.Fatalf("%s: server %d does not take the tokens to begin with", name, i)
				}
			}
			withdraw()
			for i, server := range both {
				c.dead(server, "%s: server %d goes on taking tokens", name, i)
			}
		}
	})
}
