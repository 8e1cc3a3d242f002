package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Rule: DCR-8
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
	api(204, "DELETE", "/registration-tokens/"+token.text("id"), "")
	api(404, "DELETE", "/registration-tokens/"+token.text("id"), "")
}
