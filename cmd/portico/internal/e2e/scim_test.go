package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// company is one that sends its people.
type company struct {
	*site
	id, token string
}

func (s *site) company(name, domain string) *company {
	s.Helper()
	var made, token struct{ ID, Token string }
	s.commandJSON(&made, "", "scim", "create", "--name", name, "--domain", domain)
	s.commandJSON(&token, "", "scim", "token", made.ID, "--label", "first")
	return &company{s, made.ID, token.Token}
}

// ask sends what the company asks, which must be answered with the status.
func (c *company) ask(status int, method, path, body string) answer {
	c.Helper()
	got := c.bearing(c.token, method, "/scim/v2/"+c.id+path, body)
	if got.Status != status {
		c.Fatalf("%s %s %s: %d %s, want %d", method, path, body, got.Status, got.Body, status)
	}
	return got
}

// switchOff has the person become the company's, and not be active.
func (c *company) switchOff(email string) {
	c.Helper()
	id := c.ask(201, "POST", "/Users", `{"userName":"`+email+`"}`).text("id")
	c.ask(200, "PATCH", "/Users/"+id, `{"Operations":[{"op":"Replace","path":"active","value":"False"}]}`)
}

// ownsProfile holds that a person changes nothing of themselves that is their company's.
func (c *company) ownsProfile(tool client, email string) {
	c.Helper()
	c.person(email)
	token := c.visitor(email).withPassword().tokens(tool, "scope", "openid account:write").text("access_token")
	c.ask(201, "POST", "/Users", `{"userName":"`+email+`","displayName":"Theirs"}`)
	got := c.bearing(token, "PATCH", "/account/v1/profile", `{"fields":{"name":"Mine"}}`)
	if got.Status != http.StatusConflict || !strings.Contains(got.Body, "managed_elsewhere") {
		c.Errorf("a company's name changed by the person: %d %s", got.Status, got.Body)
	}
}

// Rules: CONNECTION-3, SCIM-13
func TestConnectionsAreLookedAfterByProgramAndOnPages(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	s.person("person@example.test")
	tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
	access := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
		"openid account:read account:write").text("access_token")
	api := func(status int, method, path, body string) answer {
		t.Helper()
		got := s.api(access, method, path, body)
		if got.Status != status {
			t.Fatalf("%s %s: %d %s, want %d", method, path, got.Status, got.Body, status)
		}
		return got
	}
	id := api(201, "POST", "/connections", `{"name":"Works","domains":["works.test"],"group_prefix":"w "}`).text("id")
	api(409, "POST", "/connections", `{"name":"works"}`)
	api(422, "POST", "/connections", `{"name":"","domains":["none"]}`)
	api(422, "POST", "/connections/"+id+"/tokens", `{"label":"entra","days":0}`)
	token := api(201, "POST", "/connections/"+id+"/tokens", `{"label":"entra","days":30}`)
	works := &company{s, id, token.text("token")}
	user := works.ask(201, "POST", "/Users", `{"userName":"ann@works.test","displayName":"Ann"}`).text("id")
	group := works.ask(201, "POST", "/Groups", `{"displayName":"team","members":[{"value":"`+user+`"}]}`).text("id")
	for _, path := range []string{"/ServiceProviderConfig", "/ResourceTypes", "/ResourceTypes/User", "/Schemas",
		"/Schemas/urn:ietf:params:scim:schemas:core:2.0:User", "/Users?filter=userName%20eq%20%22x%22", "/Groups/" + group} {
		works.ask(200, "GET", path, "")
	}
	for _, path := range []string{"/users/" + user, "/groups/" + group} {
		if got := api(200, "GET", path, ""); !strings.Contains(got.Body, `"managed_by":{"connection_id":"`+id+`"`) {
			t.Errorf("%s: %s", path, got.Body)
		}
	}
	api(409, "PATCH", "/users/"+user, `{"fields":{"name":"Other"}}`)
	api(200, "PATCH", "/users/"+user, `{"fields":{"about_me":"Mine"}}`)
	api(409, "PATCH", "/groups/"+group, `{"name":"Other"}`)
	api(409, "PUT", "/groups/"+group+"/members/"+user, "")
	api(409, "DELETE", "/groups/"+group+"/members/"+user, "")
	api(409, "DELETE", "/groups/"+group, "")
	works.ownsProfile(tool, "bob@works.test")
	s.onPages(user, group)
	api(200, "PATCH", "/connections/"+id, `{"disabled":true}`)
	works.ask(401, "GET", "/Users/"+user, "")
	api(200, "PATCH", "/connections/"+id, `{"disabled":false}`)
	works.ask(200, "GET", "/Users/"+user, "")
	s.eventually("the calls of a connection", func() bool {
		return strings.Contains(s.api(access, "GET", "/connections/"+id+"/calls", "").Body, "created ann@works.test")
	})
	api(204, "DELETE", "/connections/"+id+"/tokens/"+token.text("id"), "")
	works.ask(401, "GET", "/Users/"+user, "")
	api(204, "DELETE", "/connections/"+id, "")
	api(404, "GET", "/connections/"+id, "")
	api(200, "PATCH", "/users/"+user, `{"fields":{"name":"Free"}}`)
	if got := s.signedIn("person@example.test").fetch("GET", "/admin/connections"); got.Status != http.StatusForbidden {
		t.Errorf("the page for everybody: %d", got.Status)
	}
}

// onPages looks whose somebody is, and that it is to be read only.
func (s *site) onPages(user, group string) {
	s.Helper()
	admin := s.signedIn("admin@example.test")
	for path, want := range map[string]string{
		"/admin/users/" + user:           "Works",
		"/admin/users/" + user + "/edit": `value="Ann" required readonly`,
		"/admin/groups/" + group:         `id="managed"`,
		"/admin/connections":             "Works",
	} {
		if got := admin.fetch("GET", path); !strings.Contains(got.Body, want) {
			s.Errorf("%s does not say %q", path, want)
		}
	}
	if got := admin.fetch("GET", "/admin/groups/"+group); strings.Contains(got.Body, "delete-group") {
		s.Error("a company's group can be deleted")
	}
}
