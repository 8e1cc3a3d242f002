package e2e

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// keycloak is one of its own, with a realm and an application there.
type keycloak struct {
	realm, app string // addresses
	idToken    string // of the application, once somebody is signed in
}

// run starts a copy: it builds itself anew where it lies.
func (k *keycloak) run(t *testing.T, port, broker string) {
	t.Helper()
	dir := t.TempDir()
	from := must(filepath.Glob(filepath.Join(installed(t, "keycloak", "pom.xml"), "keycloak-*")))
	if err := os.CopyFS(dir, os.DirFS(from[0])); err != nil {
		t.Fatal(err)
	}
	realm := string(must(os.ReadFile("testdata/keycloak/realm.json")))
	lay(t, dir, map[string]string{"data/import/demo.json": strings.NewReplacer("BROKER", broker, "APP",
		k.app).Replace(realm)})
	cmd := exec.Command("sh", filepath.Join(dir, "bin", "kc.sh"), "start-dev", "--import-realm",
		"--http-host=127.0.0.1", "--http-port="+port)
	cmd.Dir = dir
	runBeside(t, cmd, port)
}

// enter is what the application does to sign somebody in.
func (k *keycloak) enter(v *visitor) (page, error) {
	return v.open(k.realm + "/protocol/openid-connect/auth?" + form("client_id", "app", "redirect_uri", k.app+"/callback",
		"response_type", "code", "scope", "openid profile email", "kc_idp_hint", "portico").Encode())
}

// see is what the application does with the code that it gets.
func (k *keycloak) see(v *visitor, callback page) (page, error) {
	if callback.At.Query().Get("code") == "" {
		return callback, nil
	}
	f := form("grant_type", "authorization_code", "client_id", "app", "redirect_uri", k.app+"/callback", "code",
		callback.At.Query().Get("code"))
	redeem, err := http.NewRequest(http.MethodPost, k.realm+"/protocol/openid-connect/token",
		strings.NewReader(f.Encode()))
	if err != nil {
		return page{}, err
	}
	redeem.Header.Set("Content-Type", formType)
	tokens, err := v.follow(redeem)
	if err != nil {
		return page{}, err
	}
	k.idToken = tokens.text("id_token")
	r, err := http.NewRequest(http.MethodGet, k.realm+"/protocol/openid-connect/userinfo", nil)
	if err != nil {
		return page{}, err
	}
	r.Header.Set("Authorization", "Bearer "+tokens.text("access_token"))
	return v.follow(r)
}

// Rule: DISC-8
func TestKeycloakWorksAsItsGuideSays(t *testing.T) {
	onlyOthers(t)
	s := start(t, sqliteURL(t))
	s.person("person@example.test")
	port := freeport.Take(t)
	at := "http://localhost:" + port
	k := &keycloak{realm: at + "/realms/demo",
		app: onLoopback(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { say(w, "app", "App") }))}
	examples := []string{"https://id.example.test", s.URL, "https://app.example.test", at}
	c := s.register("keycloak.md", examples...)
	k.run(t, port, snippet(t, "keycloak.md", "json", 1,
		append(examples, "YOUR_CLIENT_ID", c.ID, "YOUR_CLIENT_SECRET", c.Secret)...))
	v := s.visitor("person@example.test")
	v.goes = []string{at + "/", k.app + "/"}
	v.uses(usage{
		client: c, bye: k.app + "/bye", shows: `"email":"person@example.test"`,
		enter: func() (page, error) { return k.enter(v) },
		see:   func(callback page) (page, error) { return k.see(v, callback) },
		leave: func() (page, error) {
			return v.open(k.realm + "/protocol/openid-connect/logout?" + url.Values{
				"id_token_hint": {k.idToken}, "post_logout_redirect_uri": {k.app + "/bye"},
			}.Encode())
		},
	})
}
