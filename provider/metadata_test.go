package provider_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

const (
	discoveryPath = "/.well-known/openid-configuration"
	rfc8414Path   = "/.well-known/oauth-authorization-server"
)

// discovery returns the server's description of itself.
func (w *world) discovery() map[string]any { return w.get(discoveryPath).JSON(w) }

func list(v any) []string {
	var all []string
	for _, one := range v.([]any) {
		all = append(all, one.(string))
	}
	return all
}

// Rules: DISC-1, SCOPE-3
func TestDiscoveryIsExactlyTheGoldenDocument(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		got := w.get(discoveryPath)
		var pretty bytes.Buffer
		w.must(json.Indent(&pretty, got.Body, "", "  "))
		text := strings.ReplaceAll(pretty.String(), w.URL, "https://id.example.test") + "\n"
		want, err := os.ReadFile("testdata/discovery.json")
		w.must(err)
		if diff := cmp.Diff(string(want), text); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Cache-Control") != "public, max-age=3600" {
			t.Errorf("headers %v", got.Header)
		}
		if same := w.get(rfc8414Path); !bytes.Equal(got.Body, same.Body) {
			t.Errorf("the RFC 8414 path has another document: %s", same.Body)
		}
	})
}

// Rule: DISC-6
func TestDiscoveryNamesNoHostOfTheRequest(t *testing.T) {
	w := newWorld(t, settings{})
	r, err := http.NewRequest(http.MethodGet, w.URL+discoveryPath, nil)
	w.must(err)
	r.Host = "evil.example"
	r.Header.Set("X-Forwarded-Host", "evil.example")
	r.Header.Set("Forwarded", "host=evil.example")
	if got := w.do(plain, r); bytes.Contains(got.Body, []byte("evil")) || got.JSON(t)["issuer"] != w.URL {
		t.Errorf("got %s", got.Body)
	}
}

// Rule: KEY-6
func TestPublicDocumentsAreNotSentAgainToWhoHasThem(t *testing.T) {
	w := newWorld(t, settings{})
	for _, path := range []string{discoveryPath, rfc8414Path, "/authentication/v2/keys"} {
		first := w.get(path)
		for _, has := range []string{first.Header.Get("ETag"), `"another", W/` + first.Header.Get("ETag"), "*"} {
			again := w.get(path, "If-None-Match", has)
			if again.Status != http.StatusNotModified || len(again.Body) != 0 ||
				again.Header.Get("ETag") != first.Header.Get("ETag") {
				t.Errorf("%s: who has %s gets %d %q", path, has, again.Status, again.Body)
			}
		}
		if other := w.get(path, "If-None-Match", `"another"`); other.Status != http.StatusOK || len(other.Body) == 0 {
			t.Errorf("%s: another ETag gets %d", path, other.Status)
		}
	}
}

// Rule: DISC-2
func TestEveryEndpointOfDiscoveryAnswers(t *testing.T) {
	w := newWorld(t, settings{})
	posts := []string{"token_endpoint", "pushed_authorization_request_endpoint", "device_authorization_endpoint",
		"revocation_endpoint", "revoke_endpoint",
		"introspection_endpoint"}
	for name, value := range w.discovery() {
		if !strings.HasSuffix(name, "_endpoint") && name != "jwks_uri" {
			continue
		}
		method := http.MethodGet
		if slices.Contains(posts, name) {
			method = http.MethodPost
		}
		path, ours := strings.CutPrefix(value.(string), w.URL)
		if got := w.send(method, path, ""); !ours || got.Status == http.StatusNotFound ||
			got.Status == http.StatusMethodNotAllowed {
			t.Errorf("%s is %v and answers %d", name, value, got.Status)
		}
	}
}

// Rule: DISC-3
func TestEveryScopeOfDiscoveryIsOneAClientCanHaveAndNoOther(t *testing.T) {
	w := newWorld(t, settings{})
	listed := list(w.discovery()["scopes_supported"])
	w.app(apps.Registration{Scopes: listed})
	for _, name := range listed {
		if strings.ContainsAny(name, " \"\\") {
			t.Errorf("%q is no scope-token", name)
		}
	}
	if diff := cmp.Diff(scope.All(), listed); diff != "" {
		t.Errorf("-known +listed:\n%s", diff)
	}
	_, err := w.Apps.Create(t.Context(), w.act(),
		apps.Registration{Name: "X", Type: storage.ClientService, Scopes: []string{"everything"}, ByAdministrator: true})
	if err == nil {
		t.Error("a scope that is not listed was registered")
	}
}

// Rule: DISC-4
func TestNothingWorksThatDiscoveryDoesNotList(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	spa := w.app(apps.Registration{Type: storage.ClientSPA})
	for _, grant := range []string{
		"password",
		"urn:openid:params:grant-type:ciba", "implicit",
	} {
		w.refused(w.token(a, form("grant_type", grant, "username", somebody, "password", goodPassword)), 400,
			"unsupported_grant_type")
	}
	for name, pairs := range map[string][]string{
		"unsupported_response_type": {"response_type", "none"},
		"invalid_request":           {"response_mode", "web_message"},
		"request_not_supported":     {"request", "e30.e30."},
		"request_uri_not_supported": {"request_uri", "urn:x"},
	} {
		if v := w.browser().get(w.authorizeURL(a, pairs...)); v.Away == nil || v.parameters(t).Get("error") != name {
			t.Errorf("%v: sent to %v", pairs, v.Away)
		}
	}
	if v := w.browser().get(w.authorizeURL(a, "prompt", "create")); v.Away == nil ||
		v.parameters(t).Get("error") != "invalid_request" {
		t.Errorf("prompt=create: sent to %v", v.Away)
	}
	assertion := credentials("client_id", a.ID, "client_assertion", "x.y.z",
		"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
	w.refused(w.post("/authentication/v2/token", app{}, assertion), 401, "invalid_client")
	w.refused(w.token(spa, credentials()), 400, "unauthorized_client")
	if got := w.token(a, credentials()); got.Status != http.StatusOK {
		t.Errorf("what is listed: %d %s", got.Status, got.Body)
	}
}

// Rules: AUTH-14, AUTH-15, DISC-3
func TestEveryResponseTypeAndModeOfDiscoveryWorks(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	b.code(a, somebody)
	doc := w.discovery()
	for _, kind := range list(doc["response_types_supported"]) {
		for _, mode := range list(doc["response_modes_supported"]) {
			v := b.get(w.authorizeURL(a, "response_type", kind, "response_mode", mode, "nonce", "n"))
			answer := v.Header.Get("Location") + string(v.Body)
			refused := kind != "code" && strings.HasPrefix(mode, "query")
			if strings.Contains(answer, "error=invalid_request") != refused || v.Status >= 400 {
				t.Errorf("%s by %s: status %d, sent to %v", kind, mode, v.Status, v.Away)
			}
		}
	}
}

// Rule: DISC-5
func TestClaimsOfDiscoveryAreThoseThatAreGiven(t *testing.T) {
	w := newWorld(t, settings{})
	w.fullPerson()
	w.inGroup(somebody, "editors")
	a := w.app(apps.Registration{Scopes: scope.All()})
	b := w.browser()
	body := b.tokens(a, somebody, "scope", "openid profile email address phone groups user-profile:read", "nonce", "n")
	v := b.get(w.authorizeURL(a, "response_type", "code id_token", "nonce", "n"))
	given := map[string]bool{}
	for _, claims := range []map[string]any{
		w.userInfo(body["access_token"].(string)).JSON(t), payload(t, body["id_token"]),
		payload(t, v.parameters(t).Get("id_token")),
	} {
		for name := range claims {
			given[name] = true
		}
	}
	for _, name := range list(w.discovery()["claims_supported"]) {
		if !given[name] {
			t.Errorf("%s is listed and not given", name)
		}
		delete(given, name)
	}
	if len(given) > 0 {
		t.Errorf("given and not listed: %v", given)
	}
}
