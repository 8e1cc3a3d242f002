package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Rules: DCR-8, DCR-10, MCP-12
func TestRegistrationsAreLookedAfterByProgramAndOnTheCommandLine(t *testing.T) {
	t.Parallel()
	s := start(t, sqliteURL(t))
	s.person("admin@example.test", "--admin")
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
	api(200, "PATCH", "/policy", `{"dynamic_registration":"token"}`)
	api(422, "POST", "/registration-tokens", `{"label":"","uses":-1,"days":1000}`)
	api(422, "POST", "/registration-tokens", `{"label":"x","uses":0}`)
	api(422, "POST", "/registration-tokens", `{"label":"x","days":0}`)
	token := api(201, "POST", "/registration-tokens", `{"label":"assistants","uses":2}`)
	if listed := api(200, "GET", "/registration-tokens", "").Body; !strings.Contains(listed, `"uses_left":2`) ||
		strings.Contains(listed, token.text("token")) {
		t.Errorf("the tokens are listed as %s", listed)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/authentication/v2/register",
		strings.NewReader(`{"redirect_uris":["http://127.0.0.1/cb"],"client_name":"Agent",
			"token_endpoint_auth_method":"none"}`))
	s.must(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token.text("token"))
	response, err := http.DefaultClient.Do(r)
	s.must(err)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("registering: %d", response.StatusCode)
	}
	for _, want := range []string{`"name":"Agent"`, `"token_label":"assistants"`,
		`"address":"127.0.0.1"`, `"used":false`} {
		if listed := api(200, "GET", "/registrations", "").Body; !strings.Contains(listed, want) {
			t.Errorf("listed without %s: %s", want, listed)
		}
	}
	if listed := s.command("", "registration", "list"); !strings.Contains(listed, "Agent") ||
		!strings.Contains(listed, "127.0.0.1") {
		t.Errorf("the command line lists %s", listed)
	}
	s.registrationPages(token.text("id"), token.text("token"))
	api(204, "DELETE", "/registration-tokens/"+token.text("id"), "")
	api(404, "DELETE", "/registration-tokens/"+token.text("id"), "")
}

// registrationPages looks at the same on the page, beside a token.
func (s *site) registrationPages(id, text string) {
	s.Helper()
	const list = "/admin/registrations"
	s.person("person@example.test")
	admin, person := s.signedIn("admin@example.test"), s.signedIn("person@example.test")
	page := admin.fetch("GET", list).Body
	for _, want := range []string{"Apps register themselves with a token", ">Agent<", "127.0.0.1", "let in by nobody",
		`href="/admin/apps/`, `href="` + list + "/tokens/" + id + `/end"`, "for one more app"} {
		if !strings.Contains(page, want) || strings.Contains(page, text) {
			s.Errorf("the page has no %q, or the token:\n%s", want, page)
		}
	}
	for _, wrong := range [][]string{{"label", ""}, {"label", "x", "uses", "many"}, {"label", "x", "days", "0"}} {
		if got := admin.press(list, wrong...); got.Status != http.StatusUnprocessableEntity ||
			!strings.Contains(got.Body, `aria-invalid="true"`) {
			s.Errorf("%q: %d\n%s", wrong, got.Status, got.Body)
		}
	}
	made, err := admin.submit(must(admin.open(s.URL+list)), "token-form", form("label", "another", "uses", "3"))
	s.must(err)
	fresh := inner(made.Body, "<", `id="revealed-token"`, ">")
	again := admin.fetch("GET", list).Body
	if !strings.HasPrefix(fresh, "register_") || strings.Contains(again, fresh) ||
		!strings.Contains(again, "for 3 more apps") {
		s.Errorf("made %q on %s", fresh, made.At)
	}
	end, _, _ := strings.Cut(after(after(again, "another"), `href="`), `"`)
	if got := person.press(end); got.Status != http.StatusForbidden {
		s.Errorf("somebody else ends it: %d", got.Status)
	}
	admin.press(end)
	if strings.Contains(admin.fetch("GET", list).Body, "another") {
		s.Error("a token that was ended is still there")
	}
	for policy, says := range map[string]string{
		"claude.ai vscode.dev -evil.example": "need no registration: claude.ai, vscode.dev.",
		"all -evil.example":                  "Apps that a document on the web describes need no registration."} {
		s.command("", "policy", "set", "metadata_documents="+policy)
		eventually(s, patience, "the page says whose documents count", func() bool {
			return strings.Contains(admin.fetch("GET", list).Body, says)
		})
	}
	if got := person.fetch("GET", list); got.Status != http.StatusForbidden {
		s.Errorf("the page for everybody: %d", got.Status)
	}
	if got := person.fetch("GET", "/account/assistants").Body; !strings.Contains(got, "nothing for assistants") ||
		!strings.Contains(got, "Whoever runs this server") || strings.Contains(got, "/mcp") {
		s.Errorf("where there is nothing for assistants:\n%s", got)
	}
	if got := admin.fetch("GET", "/account/assistants").Body; !strings.Contains(got, "PORTICO_MCP=on") {
		s.Errorf("administrators are not told how it is switched on:\n%s", got)
	}
}
