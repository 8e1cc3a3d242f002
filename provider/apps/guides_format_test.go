package apps

import (
	"encoding/base64"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// The settings are read in the format of the program that they are for, and
// each name is one that the program documents. Sources, as of 2026:
//   - Grafana: documentation, "Configure Generic OAuth authentication", and
//     conf/defaults.ini
//   - Gitea: "gitea admin auth add-oauth --help" (cmd/admin_auth_oauth.go)
//   - oauth2-proxy: documentation, "Overview": every flag, with underscores;
//     the plural for lists
//   - kubectl: "kubectl config set-credentials --help"; kubelogin:
//     docs/usage.md; kube-apiserver: "OpenID Connect Tokens"
//   - MinIO: "OpenID Identity Management Settings"

const guideIssuer = "https://id.example.test"

// guideText returns the blocks of a guide, for an app with a callback of the
// service and the scopes.
func guideText(t *testing.T, slug string, scopes ...string) []string {
	t.Helper()
	i := slices.IndexFunc(allGuides(), func(g guide) bool { return g.slug == slug })
	g := allGuides()[i]
	c := storage.Client{ID: "the-client-id", Type: g.types[0], Profile: storage.ProfileStandard, Scopes: scopes,
		RedirectURIs: []string{g.callback}}
	blocks, err := g.blocks(c, guideIssuer)
	if err != nil {
		t.Fatal(err)
	}
	if missing := g.missing(c); len(missing) > 0 {
		t.Errorf("%s wants more: %q", slug, missing)
	}
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.Text
	}
	return texts
}

// documented fails for names that the program does not know.
func documented[V any](t *testing.T, settings map[string]V, names string) {
	t.Helper()
	for name := range settings {
		if !slices.Contains(strings.Fields(names), name) {
			t.Errorf("the program has no setting %s", name)
		}
	}
}

// pairs reads lines of name and value around the separator.
func pairs(t *testing.T, lines []string, separator string) map[string]string {
	t.Helper()
	settings := map[string]string{}
	for _, line := range lines {
		name, value, found := strings.Cut(line, separator)
		if _, twice := settings[name]; !found || twice || name == "" || value == "" || strings.TrimSpace(value) != value {
			t.Errorf("the line %q", line)
		}
		settings[name] = value
	}
	return settings
}

// groupsOr are both sorts of apps: with the scope groups, and without.
func groupsOr() map[string][]string {
	return map[string][]string{"with groups": {scope.OpenID, scope.Email, scope.Groups},
		"without": {scope.OpenID, scope.Email}}
}

// Rule: PORTAL-19
func TestTheSettingsOfGrafanaAreAnINIFileOfItsSettings(t *testing.T) {
	for name, scopes := range groupsOr() {
		lines := strings.Split(guideText(t, "grafana", scopes...)[0], "\n")
		if lines[0] != "[auth.generic_oauth]" {
			t.Errorf("%s: the section is %s", name, lines[0])
		}
		settings := pairs(t, lines[1:], " = ")
		documented(t, settings, `name icon enabled allow_sign_up auto_login client_id client_secret scopes empty_scopes email_attribute_name
			email_attribute_path login_attribute_path name_attribute_path role_attribute_path role_attribute_strict groups_attribute_path
			id_token_attribute_name auth_url token_url api_url teams_url use_pkce use_refresh_token auth_style allow_assign_grafana_admin`)
		role := settings["role_attribute_path"]
		delete(settings, "role_attribute_path")
		want := map[string]string{
			"enabled": "true", "name": "Portico", "client_id": "the-client-id", "client_secret": "YOUR_CLIENT_SECRET",
			"scopes":   strings.Join(scopes, " "),
			"auth_url": guideIssuer + "/authentication/v2/authorize", "token_url": guideIssuer + "/authentication/v2/token",
			"api_url":  guideIssuer + "/userinfo",
			"use_pkce": "true", "use_refresh_token": "true", "allow_sign_up": "true",
			"login_attribute_path": "preferred_username",
		}
		if diff := cmp.Diff(want, settings); diff != "" || (role != "") != slices.Contains(scopes, scope.Groups) ||
			strings.ContainsAny(role, "#;`") {
			t.Errorf("%s: role %q (-want +got):\n%s", name, role, diff)
		}
	}
}

// spoken returns how a shell reads the command: its words.
func spoken(t *testing.T, program, command string) []string {
	t.Helper()
	out, err := exec.Command("sh", "-euc", program+`() { for word; do printf '%s\n' "$word"; done; }`+"\n"+
		command).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// Rule: PORTAL-19
func TestTheCommandForGiteaHasItsFlags(t *testing.T) {
	for name, scopes := range groupsOr() {
		want := []string{
			"admin", "auth", "add-oauth", "--name", "Portico", "--provider", "openidConnect", "--key", "the-client-id",
			"--secret", "YOUR_CLIENT_SECRET", "--scopes", "email",
		}
		if slices.Contains(scopes, scope.Groups) {
			want = append(want, "--scopes", "groups", "--group-claim-name", "groups")
		}
		want = append(want, "--auto-discover-url", guideIssuer+"/.well-known/openid-configuration")
		if diff := cmp.Diff(want, spoken(t, "gitea", guideText(t, "gitea", scopes...)[0])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Rule: PORTAL-19
func TestTheSettingsOfOAuth2ProxyAreTOMLOfItsSettings(t *testing.T) {
	for name, scopes := range groupsOr() {
		var settings map[string]any
		if err := toml.Unmarshal([]byte(guideText(t, "oauth2-proxy", scopes...)[0]), &settings); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		documented(t, settings, `provider provider_display_name oidc_issuer_url client_id client_secret redirect_url scope code_challenge_method
			email_domains oidc_groups_claim oidc_email_claim cookie_secret cookie_secure upstreams http_address`)
		want := map[string]any{
			"provider": "oidc", "provider_display_name": "Portico", "oidc_issuer_url": guideIssuer,
			"client_id": "the-client-id", "client_secret": "YOUR_CLIENT_SECRET",
			"redirect_url": "https://app.example.com/oauth2/callback", "scope": strings.Join(scopes, " "),
			"code_challenge_method": "S256",
			"email_domains":         []any{"*"}, "cookie_secret": "COOKIE_SECRET",
		}
		if slices.Contains(scopes, scope.Groups) {
			want["oidc_groups_claim"] = "groups"
		}
		if diff := cmp.Diff(want, settings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Rule: PORTAL-19
func TestTheCookieSecretOfOAuth2ProxyIsMadeByTheCommandBesideIt(t *testing.T) {
	_, command, _ := strings.Cut(guideText(t, "oauth2-proxy", scope.OpenID, scope.Email)[0], `"COOKIE_SECRET" # `)
	command, _, _ = strings.Cut(command, "\n")
	out, err := exec.Command("sh", "-euc", command).Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	secret, err := base64.URLEncoding.DecodeString(strings.TrimSpace(string(out)))
	if err != nil || len(secret) != 32 {
		t.Errorf("%q has %d bytes, %v; it takes 16, 24 or 32", out, len(secret), err)
	}
}

// Rule: PORTAL-19
func TestTheCommandsForKubeloginHaveTheirFlags(t *testing.T) {
	for name, scopes := range groupsOr() {
		texts := guideText(t, "kubelogin", scopes...)
		want := []string{
			"config", "set-credentials", "portico", "--exec-api-version=client.authentication.k8s.io/v1",
			"--exec-interactive-mode=Never",
			"--exec-command=kubectl", "--exec-arg=oidc-login", "--exec-arg=get-token",
			"--exec-arg=--oidc-issuer-url=" + guideIssuer,
			"--exec-arg=--oidc-client-id=the-client-id", "--exec-arg=--oidc-extra-scope=email",
		}
		server := map[string]string{"--oidc-issuer-url": guideIssuer, "--oidc-client-id": "the-client-id",
			"--oidc-username-claim": "email"}
		if slices.Contains(scopes, scope.Groups) {
			want = append(want, "--exec-arg=--oidc-extra-scope=groups")
			server["--oidc-groups-claim"] = "groups"
		}
		want = append(want, "--exec-arg=--oidc-pkce-method=S256")
		if diff := cmp.Diff(want, spoken(t, "kubectl", texts[0])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(server, pairs(t, strings.Split(texts[1], "\n"), "=")); diff != "" {
			t.Errorf("%s, the API server (-want +got):\n%s", name, diff)
		}
	}
}

// kubelogin sends http://localhost:8000 or, when that port is taken, http://localhost:18000.
//
// Rule: PORTAL-19
func TestKubeloginNeedsACallbackOnLocalhostAtAnyPort(t *testing.T) {
	i := slices.IndexFunc(allGuides(), func(g guide) bool { return g.slug == "kubelogin" })
	kubelogin := allGuides()[i]
	c := storage.Client{Type: storage.ClientNative, Profile: storage.ProfileStandard,
		Scopes: []string{scope.OpenID, scope.Email}, RedirectURIs: []string{"http://127.0.0.1"}}
	if missing := kubelogin.missing(c); len(missing) != 1 || missing[0].Key != "apps.guide.callback-exact" {
		t.Errorf("missing is %q", missing)
	}
	c.RedirectURIs = append(c.RedirectURIs, "http://localhost:4242")
	if missing := kubelogin.missing(c); len(missing) != 0 {
		t.Errorf("missing is %q", missing)
	}
}

// Rule: PORTAL-19
func TestTheSettingsOfMinIOAreItsEnvironment(t *testing.T) {
	for name, scopes := range groupsOr() {
		settings := pairs(t, strings.Split(guideText(t, "minio", scopes...)[0], "\n"), "=")
		const prefix = "MINIO_IDENTITY_OPENID_"
		want := map[string]string{
			prefix + "CONFIG_URL": guideIssuer + "/.well-known/openid-configuration", prefix + "CLIENT_ID": "the-client-id",
			prefix + "CLIENT_SECRET": "YOUR_CLIENT_SECRET",
			prefix + "DISPLAY_NAME":  "Portico", prefix + "SCOPES": strings.Join(scopes, ","),
			prefix + "REDIRECT_URI": "https://minio.example.com/oauth_callback",
		}
		// MinIO takes a claim or a policy for everybody, never both.
		if slices.Contains(scopes, scope.Groups) {
			want[prefix+"CLAIM_NAME"] = "groups"
		} else {
			want[prefix+"ROLE_POLICY"] = "readonly"
		}
		if diff := cmp.Diff(want, settings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
