package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// api calls an operation of the administration API with a bearer token.
func (s *site) api(token, method, path, body string) answer {
	s.Helper()
	r, err := http.NewRequest(method, s.URL+"/admin/v1"+path, strings.NewReader(body))
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

// Rule: ADMIN-2
func TestTheAdministrationAPIIsForAdministratorsTokensAlone(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		s.person("dev@example.test")
		tool := s.client("--redirect-uri", callback, "--first-party", "--scope",
			"openid account:read account:write data:read")
		token := func(email, scope string) string {
			return s.visitor(email).withPassword().tokens(tool, "scope", scope).text("access_token")
		}
		full, reads := token("admin@example.test", "openid account:read account:write"),
			token("admin@example.test", "openid account:read")
		if got := s.api(full, "GET", "/users", ""); got.Status != http.StatusOK {
			t.Fatalf("an administrator's token: %d %s", got.Status, got.Body)
		}
		for name, c := range map[string]struct {
			token  string
			status int
			code   string
		}{
			"nobody": {"", 401, "missing_token"},
			"a two-legged token": {s.token(tool, "grant_type", "client_credentials", "scope",
				"account:read account:write").text("access_token"), 403, "three_legged_required"},
			"a token without scopes": {token("admin@example.test", "openid"), 403, "insufficient_scope"},
			"somebody else's token": {token("dev@example.test", "openid account:read account:write"), 403,
				"administrators_only"},
			"no token": {"x.y.z", 401, "invalid_token"},
		} {
			for _, route := range routesBelow(t, "/admin/v1/") {
				path := variables.ReplaceAllString(strings.TrimPrefix(route.template, "/admin/v1"), "x")
				status, code := c.status, c.code
				switch {
				case code != "administrators_only":
				case strings.HasPrefix(path, "/hubs/") || strings.HasPrefix(path, "/projects/") ||
					strings.HasPrefix(path, "/twins/"):
					continue // it depends on whose they are: TestWhoMayAdministerWhat, TestWhoMayAdministerTwins
				case strings.HasPrefix(path, "/apps/x/invitations"), strings.HasPrefix(path, "/apps/x/members/"),
					route.method == "GET" && path == "/apps/x/members":
					status, code = 404, "client_not_found"
				case path == "/audit/x":
					status, code = 404, "event_not_found" // to them there is no such thing
				}
				if got := s.api(c.token, route.method, path, ""); got.Status != status || got.text("code") != code {
					t.Errorf("%s: %s %s: %d %s", name, route.method, path, got.Status, got.Body)
				}
			}
		}
		if got := s.api(reads, "POST", "/groups", `{"name":"x"}`); got.Status != http.StatusForbidden {
			t.Errorf("a token that only reads writes: %d %s", got.Status, got.Body)
		}
		s.command("", "user", "update", "admin@example.test", "--admin=false", "--force")
		if got := s.api(full, "GET", "/users", ""); got.Status != http.StatusForbidden {
			t.Errorf("the token of a former administrator: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: ADMIN-2
func TestServiceAccountsNeverAdministrate(t *testing.T) {
	m := newMachine(t)
	token := m.token()
	if got := m.speaksFor(token); got != m.accountID {
		t.Fatalf("the token speaks for %q", got)
	}
	for _, route := range routesBelow(t, "/admin/v1/") {
		path := strings.TrimPrefix(variables.ReplaceAllString(route.template, "x"), "/admin/v1")
		if got := m.api(token, route.method, path, ""); got.Status != http.StatusForbidden ||
			got.text("code") != "three_legged_required" {
			t.Errorf("%s %s: %d %s", route.method, path, got.Status, got.Body)
		}
	}
}

// variables are those of route templates.
var variables = regexp.MustCompile(`\{\w+\}`)

// Rule: ADMIN-3
func TestConsentToTheAdministrationAPIIsAskedEvenForFirstPartyApps(t *testing.T) {
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
	tool := s.client("--redirect-uri", callback, "--first-party", "--scope", "openid account:read")
	admin := s.signedIn("admin@example.test")
	p, err := admin.open(s.authorizeURL(tool, "scope", "openid"))
	s.must(err)
	if p.Away == nil {
		t.Errorf("a first-party app is asked for without need: at %s", p.At)
	}
	p, err = admin.open(s.authorizeURL(tool, "scope", "openid account:read"))
	s.must(err)
	if p.Away != nil || p.At.Path != "/consent" {
		t.Errorf("nobody is asked: at %s, %v", p.At, p.Away)
	}
}

// withPassword lets the visitor sign in with the password of person.
func (v *visitor) withPassword() *visitor {
	v.password = password
	return v
}

// Rules: ADMIN-4, ADMIN-15
func TestTheAdministrationAPIDoesWhatThePagesDo(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		s := start(t, database)
		s.person("admin@example.test", "--admin")
		tool := s.client("--redirect-uri", callback, "--scope", "openid account:read account:write")
		token := s.visitor("admin@example.test").withPassword().tokens(tool, "scope",
			"openid account:read account:write").text("access_token")
		must := func(status int, method, path, body string) answer {
			t.Helper()
			got := s.api(token, method, path, body)
			if got.Status != status {
				t.Fatalf("%s %s: %d %s, want %d", method, path, got.Status, got.Body, status)
			}
			return got
		}
		user := must(201, "POST", "/users", `{"fields":{"email":"new@example.test","name":"New","company":"Example"},"password":"`+password+`"}`).text("id")
		must(409, "POST", "/users", `{"fields":{"email":"NEW@example.test","name":"Other"}}`)
		must(422, "POST", "/users", `{"fields":{"email":"x","name":""}}`)
		must(400, "POST", "/users", `{`)
		must(200, "PATCH", "/users/"+user, `{"fields":{"company":""},"disabled":true}`)
		must(409, "POST", "/users/"+user+"/password-link", "")
		must(200, "PATCH", "/users/"+user, `{"disabled":false}`)
		link := must(201, "POST", "/users/"+user+"/password-link", "").text("url")
		must(204, "POST", "/users/"+user+"/end-sessions", "")
		if got := strings.HasPrefix(link, s.URL+"/password?link="); !got {
			t.Errorf("the link is %s", link)
		}
		group := must(201, "POST", "/groups", `{"name":"Editors"}`).text("id")
		must(204, "PUT", "/groups/"+group+"/members/"+user, "")
		must(404, "PUT", "/groups/"+group+"/members/nobody", "")
		if got := must(200, "GET", "/groups/"+group+"/members", ""); !strings.Contains(got.Body, user) {
			t.Errorf("members: %s", got.Body)
		}
		must(200, "PATCH", "/groups/"+group, `{"description":"They edit."}`)
		must(204, "DELETE", "/groups/"+group+"/members/"+user, "")
		must(204, "DELETE", "/groups/"+group, "")
		must(404, "GET", "/groups/"+group, "")

		made := must(201, "POST", "/apps", `{"name":"App","type":"service","scope":"data:read account:read","internal":true,"owner_user_id":"`+user+`"}`)
		app, secret := made.text("client_id"), made.text("client_secret")
		if got := s.token(client{ID: app, Secret: secret}, "grant_type", "client_credentials", "scope",
			"data:read"); got.Status != http.StatusOK {
			t.Errorf("the app gets no token: %d %s", got.Status, got.Body)
		}
		must(422, "POST", "/apps", `{"name":"App","type":"web","redirect_uris":["http://app.example.test/cb"]}`)
		got := must(422, "POST", "/apps", `{"name":"App","type":"service","owner_user_id":"NOBODY"}`)
		if !strings.Contains(got.Body, `"field":"owner_user_id"`) {
			t.Errorf("an owner whom nobody knows: %s", got.Body)
		}
		must(200, "PATCH", "/apps/"+app, `{"disabled":true,"name":"Renamed"}`)
		must(400, "POST", "/apps/"+app+"/secrets", "{")
		second := must(201, "POST", "/apps/"+app+"/secrets", "")
		var secrets struct{ Secrets []struct{ ID string } }
		s.must(json.Unmarshal([]byte(second.Body), &secrets))
		must(204, "DELETE", "/apps/"+app+"/secrets/"+secrets.Secrets[1].ID, "")
		must(409, "DELETE", "/apps/"+app+"/secrets/"+secrets.Secrets[0].ID, "")
		if got := must(200, "GET", "/apps?owner="+user, ""); !strings.Contains(got.Body, "Renamed") {
			t.Errorf("apps of an owner: %s", got.Body)
		}
		must(204, "DELETE", "/apps/"+app, "")
		must(404, "GET", "/apps/"+app, "")
		must(204, "DELETE", "/users/"+user, "")

		if got := must(200, "GET", "/audit?kind=user.deleted&limit=1", ""); !strings.Contains(got.Body, user) {
			t.Errorf("the audit trail: %s", got.Body)
		}
		must(422, "GET", "/audit?since=yesterday", "")
		var events struct{ Items []json.RawMessage }
		s.must(json.Unmarshal([]byte(must(200, "GET", "/audit?limit=1", "").Body), &events))
		var event struct{ ID int64 }
		s.must(json.Unmarshal(events.Items[0], &event))
		if got := must(200, "GET", fmt.Sprintf("/audit/%d", event.ID),
			"").Body; strings.TrimSpace(got) != string(events.Items[0]) {
			t.Errorf("one event is %s, in the list %s", got, events.Items[0])
		}
		must(404, "GET", "/audit/999999999", "")
		must(404, "GET", "/audit/x", "")
		must(400, "GET", "/audit?limit=201", "")
		must(409, "POST", "/keys/rotate", "")
		must(204, "POST", "/keys/rotate?at_once=true", "")
		must(200, "GET", "/keys", "")
		must(200, "GET", "/limits", "")
	})
}
