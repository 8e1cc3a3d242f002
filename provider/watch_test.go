package provider_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// listener remembers what a provider tells.
type listener struct {
	mu       sync.Mutex
	used     []string
	failures []storage.ClientFailure
}

func (l *listener) SecretUsed(id string, _ time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = append(l.used, id)
}

func (l *listener) Failed(f storage.ClientFailure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, f)
}

// told returns kind, got and expected of the failures since the last call.
func (l *listener) told() [][3]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all [][3]string
	for _, f := range l.failures {
		all = append(all, [3]string{string(f.Kind), f.Got, f.Expected})
	}
	l.failures = nil
	return all
}

// Rule: PORTAL-7
func TestFailedRequestsAreToldWithGotAndExpectedAndNoSecret(t *testing.T) {
	heard := &listener{}
	w := newWorld(t, settings{watch: heard})
	a := w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: []string{scope.OpenID, scope.DataRead}})
	const wrong = "not-the-secret-of-anybody"
	for name, c := range map[string]struct {
		request func()
		want    [][3]string
	}{
		"a callback URL that is not registered": {
			func() { w.browser().get(w.authorizeURL(a, "redirect_uri", callback+"/x")) },
			[][3]string{{"redirect_mismatch", callback + "/x", callback}},
		},
		"a wrong secret in the header": {
			func() {
				w.post("/authentication/v2/token", app{a.Client, wrong}, form("grant_type", "client_credentials"))
			},
			[][3]string{{"wrong_secret", "a secret in the Authorization header that is not the app's",
				"one of the app's live secrets"}},
		},
		"a wrong secret in the body": {
			func() {
				w.post("/authentication/v2/token", app{},
					form("grant_type", "client_credentials", "client_id", a.ID, "client_secret", wrong))
			},
			[][3]string{{"wrong_secret", "a secret in the body that is not the app's", "one of the app's live secrets"}},
		},
		"no secret": {
			func() { w.token(app{Client: a.Client}, form("grant_type", "client_credentials")) },
			[][3]string{{"wrong_secret", "no secret",
				"one of the app's live secrets, in the Authorization header or in the body"}},
		},
		"a scope at authorize": {
			func() { w.browser().get(w.authorizeURL(a, "scope", "openid data:write")) },
			[][3]string{{"scope", "openid data:write", "openid data:read"}},
		},
		"a scope at token": {
			func() { w.token(a, form("grant_type", "client_credentials", "scope", "data:write")) },
			[][3]string{{"scope", "data:write", "openid data:read"}},
		},
		"another rule": {
			func() { w.token(a, form("grant_type", "authorization_code", "code", "x", "redirect_uri", callback)) },
			[][3]string{{"other", "invalid_grant", ""}},
		},
		"what a person has to do": {
			func() { w.browser().get(w.authorizeURL(a, "prompt", "none")) }, nil,
		},
		"a client that nobody knows": {
			func() { w.token(app{Client: storage.Client{ID: "nobody"}}, form("grant_type", "client_credentials")) }, nil,
		},
		"what is right": {
			func() { w.granted(a, form("grant_type", "client_credentials")) }, nil,
		},
	} {
		heard.told()
		c.request()
		got := heard.told()
		for i := range got {
			if got[i][0] == "other" {
				got[i][2] = ""
			}
			if strings.Contains(got[i][1]+got[i][2], wrong) || strings.Contains(got[i][1]+got[i][2], a.Secret) {
				t.Errorf("%s: a secret is told: %v", name, got[i])
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// Rule: PORTAL-9
func TestUsesOfSecretsAreToldByTheirID(t *testing.T) {
	heard := &listener{}
	w := newWorld(t, settings{watch: heard})
	a := w.app(apps.Registration{Type: storage.ClientService})
	second, err := w.Apps.RotateSecret(context.Background(), w.act(), a.ID, apps.NewSecret{})
	w.must(err)
	w.wait(time.Second) // until the client's registration is read anew
	w.granted(a, form("grant_type", "client_credentials"))
	w.granted(app{a.Client, second.Secret}, form("grant_type", "client_credentials"))
	want := []string{a.Secrets[0].ID, second.Client.Secrets[0].ID}
	if diff := cmp.Diff(want, heard.used); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: PORTAL-11
func TestATryOutRunsTheFlowAndLeavesNothingAlive(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	code := w.browser().code(a, somebody)
	r := httptest.NewRequest("GET", "/apps/try/callback", nil)
	tokens, person, err := w.Provider.TryOut(r, a.ID,
		form("grant_type", "authorization_code", "code", code, "redirect_uri", callback))
	w.must(err)
	if person["sub"] == nil || payload(t, tokens["id_token"])["aud"] != a.ID {
		t.Errorf("found %v, %v", tokens, person)
	}
	if got := w.userInfo(tokens["access_token"].(string)); got.Status != 401 {
		t.Errorf("the access token lives on: %d", got.Status)
	}
	w.refused(w.token(a, form("grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string))), 400,
		"invalid_grant")
	if _, _, err := w.Provider.TryOut(r, a.ID, form("grant_type", "authorization_code", "code", "x", "redirect_uri",
		callback)); err == nil {
		t.Error("a code that is none gives tokens")
	}
	tokens, person, err = w.Provider.TryOut(r, a.ID, form("grant_type", "client_credentials"))
	if err != nil || person != nil || tokens["access_token"] == nil {
		t.Errorf("without a person: %v, %v, %v", tokens, person, err)
	}
}
