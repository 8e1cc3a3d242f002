package e2e

import (
	"encoding/json"
	"net/http"
	"strings"

	"golang.org/x/oauth2"
)

// assistance is an app that registered itself and speaks for the person, and a token with
// which the app asks as an assistant.
type assistance struct {
	registered        client
	own               string // what it looks after its registration with
	registers, onward string
	told, toldAgain   string // the second is a refresh token
}

const registerPath = "/authentication/v2/register"

// registersItself has an app register itself, and the person sign in to it; and to the app
// for what assistants read.
func (d *dock) registersItself() {
	d.Helper()
	r := must(http.NewRequest(http.MethodPost, d.URL+registerPath, strings.NewReader(
		`{"redirect_uris":["`+anyPort+`"],"client_name":"Agent","token_endpoint_auth_method":"none"}`)))
	r.Header.Set("Content-Type", "application/json")
	got, err := try(d.plain, r)
	d.must(err)
	d.registered = client{ID: got.text("client_id"), RedirectURIs: []string{anyPort}}
	d.own = got.text("registration_access_token")
	d.registers, d.onward = d.person.publicTokens(d.registered)
	eventually(d, patience, "for two seconds after another resource had the address, what is granted ends", func() bool {
		code := d.person.code(d.app, "scope", "openid data:read", "resource", d.URL+"/mcp")
		told := d.person.redeem(d.app, code)
		if told.Status != http.StatusOK {
			return false
		}
		d.told, d.toldAgain = told.text("access_token"), told.text("refresh_token")
		return true
	})
}

// publicTokens are those of an app without a secret, by which it reads.
func (v *visitor) publicTokens(c client) (access, refresh string) {
	v.Helper()
	verifier := oauth2.GenerateVerifier()
	code := v.code(c, "scope", "openid data:read", "code_challenge_method", "S256", "code_challenge",
		oauth2.S256ChallengeFromVerifier(verifier))
	tokens := v.token(c, "grant_type", "authorization_code", "code", code, "redirect_uri", c.RedirectURIs[0],
		"code_verifier", verifier)
	return tokens.text("access_token"), tokens.text("refresh_token")
}

// answers reports whether an assistant is told what lies in the folder.
func (d *dock) answers(at *site) bool {
	call := must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": "list_folder", "arguments": map[string]any{"project_id": d.project, "folder_id": d.folder}}}))
	r := must(http.NewRequest(http.MethodPost, at.URL+"/mcp", strings.NewReader(string(call))))
	r.Header.Set("Authorization", "Bearer "+d.told)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	got, err := try(&http.Client{Transport: at.wire}, r)
	d.must(err)
	return got.Status == http.StatusOK && strings.Contains(got.Body, "structuredContent") &&
		!strings.Contains(got.Body, `"isError":true`)
}

func (d *dock) assistantLasting() map[string]func(at *site) bool {
	return map[string]func(at *site) bool{
		"registered": func(at *site) bool { return at.userInfo(d.registers).Status == http.StatusOK },
		"assistant":  d.answers,
	}
}

func (d *dock) assistantOnce() map[string]func(at *site) bool {
	return map[string]func(at *site) bool{
		"registered, refreshed": func(at *site) bool { return gives(d, at.refresh(d.registered, d.onward)) },
		"assistant, refreshed":  func(at *site) bool { return gives(d, at.refresh(d.app, d.toldAgain)) },
	}
}

// endsItself has the app end its own registration.
func (d *dock) endsItself() {
	d.Helper()
	got := d.bearing(d.own, http.MethodDelete, registerPath+"/"+d.registered.ID, "")
	if got.Status != http.StatusNoContent {
		d.Fatalf("ending a registration: %d %s", got.Status, got.Body)
	}
}

// readsBesides has an administrator say who may read as assistants, and does something with
// that.
func (d *dock) readsBesides(then func(address string)) {
	d.Helper()
	address := d.URL + "/mcp"
	d.command("", "resource", "create", address, "scope=data:read data:search", "everyone=true")
	then(address)
	d.command("", "resource", "delete", address, "--yes")
}
