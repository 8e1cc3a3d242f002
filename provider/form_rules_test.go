package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/apps"
)

const formType = "application/x-www-form-urlencoded"

// badForms are bodies that no endpoint takes, with the status they get.
var badForms = []struct {
	name, contentType, body string
	status                  int
}{
	{"a repeated parameter", formType, "x=1&x=1", 400},
	{"more than 250 parameters", formType, strings.Repeat("&", 250), 400},
	{"invalid UTF-8", formType, "x=%ff", 400},
	{"U+0000", formType, "x=%00", 400},
	{"a broken escape", formType, "x=%zz", 400},
	{"more than 64 KiB", formType, "x=" + strings.Repeat("a", 64<<10), 413},
	{"JSON", "application/json", "{}", 415},
	{"another charset", formType + "; charset=latin1", "x=1", 415},
	{"no content type", "", "x=1", 415},
}

// Rules: TOKEN-1, TOKEN-21
func TestEveryFormIsReadStrictly(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	programs := []string{"/authentication/v2/token", "/authentication/v2/revoke",
		"/authentication/v2/introspect", pushPath, devicePath}
	pages := []string{"/authentication/v2/authorize", "/authentication/v2/logout", "/login",
		"/consent", "/signout", "/device",
		"/device/confirm"}
	for _, bad := range badForms {
		t.Run(bad.name, func(t *testing.T) {
			for _, path := range programs {
				got := w.send(http.MethodPost, path, bad.body, "Content-Type", bad.contentType)
				w.refused(got, bad.status, "invalid_request")
			}
			for _, path := range pages {
				got := w.send(http.MethodPost, path, bad.body, "Content-Type", bad.contentType)
				if got.Status != bad.status || !strings.Contains(string(got.Body), `id="error-page"`) {
					t.Errorf("%s: got %d, want a page with %d", path, got.Status, bad.status)
				}
			}
		})
	}
	for _, path := range []string{"/authentication/v2/revoke", "/authentication/v2/introspect"} {
		f := form("token", "x", "token_type_hint", "access_token", "client_id", a.ID, "client_secret", a.Secret, "extra", "1")
		if got := w.send(http.MethodPost, path, f.Encode(), "Content-Type",
			formType+"; charset=UTF-8"); got.Status != http.StatusOK {
			t.Errorf("%s without the trick: %d %s", path, got.Status, got.Body)
		}
	}
}

func TestQueriesHaveTheLimitsOfForms(t *testing.T) {
	w := newWorld(t, settings{})
	for _, path := range []string{"/authentication/v2/authorize", "/authentication/v2/logout"} {
		if got := w.get(path + "?x=" + strings.Repeat("a", 64<<10)); got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: a query of more than 64 KiB gets %d", path, got.Status)
		}
		if got := w.get(path + "?" + strings.Repeat("&", 250)); got.Status != http.StatusBadRequest {
			t.Errorf("%s: more than 250 parameters get %d", path, got.Status)
		}
	}
}

// Rule: TOKEN-10
func TestSecretsInTheURLAreRefusedAtEveryEndpointOfClients(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{Devices: true})
	bodies := map[string]string{
		"/authentication/v2/token":      credentials().Encode(),
		"/authentication/v2/revoke":     form("token", "x").Encode(),
		"/authentication/v2/introspect": form("token", "x").Encode(),
		pushPath:                        form("response_type", "code", "redirect_uri", callback, "scope", "openid").Encode(),
		devicePath:                      form("scope", "openid").Encode(),
	}
	for path, body := range bodies {
		good := body + "&" + form("client_id", a.ID, "client_secret", a.Secret).Encode()
		for _, name := range []string{"client_secret", "code", "code_verifier", "refresh_token", "assertion", "token",
			"device_code", "access_token", "password"} {
			w.refused(w.send(http.MethodPost, path+"?"+name+"=x", good, "Content-Type", formType), 400, "invalid_request")
		}
		if got := w.send(http.MethodPost, path+"?tenant=x", good, "Content-Type",
			formType); got.Status >= http.StatusBadRequest {
			t.Errorf("%s with a harmless query: %d %s", path, got.Status, got.Body)
		}
	}
}

// Rule: AUTH-6
func TestAuthorizeAndLogoutByFormAnswerAndCountLikeByQuery(t *testing.T) {
	w := newWorld(t, settings{rates: twice()})
	a := w.app(apps.Registration{})
	f := queryOf(t, w.authorizeURL(a, "response_mode", "form_post", "max_age", "x"))
	if got := w.post("/authentication/v2/authorize", app{}, f); got.Status != http.StatusOK ||
		!strings.Contains(string(got.Body), `value="invalid_request"`) {
		t.Errorf("form_post: status %d:\n%s", got.Status, got.Body)
	}
	for path, values := range map[string][]int{"/authentication/v2/authorize": {303, 429},
		"/authentication/v2/logout": {303, 303, 429}} {
		for i, want := range values {
			f := queryOf(t, w.authorizeURL(a))
			if path == "/authentication/v2/logout" {
				f = nil
			}
			got := w.post(path, app{}, f)
			if got.Status != want || (want == http.StatusTooManyRequests) != (got.Header.Get("Retry-After") != "") {
				t.Errorf("%s, call %d: status %d, want %d", path, i+1, got.Status, want)
			}
		}
	}
}

// Rules: AUTH-6, AUTH-22
func TestARepeatedParameterIsRefusedAlikeByQueryAndByForm(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	const authorize = "/authentication/v2/authorize"
	good := queryOf(t, w.authorizeURL(a)).Encode()
	by := map[string]func(query string) answer{
		"query": func(query string) answer { return w.get(authorize + "?" + query) },
		"form":  func(query string) answer { return w.send(http.MethodPost, authorize, query, "Content-Type", formType) },
	}
	for way, ask := range by {
		for _, twice := range []string{"nonce=a&nonce=b", "scope=openid", "x=1&x=1"} {
			got := ask(good + "&" + twice)
			if to := got.Header.Get("Location"); !strings.HasPrefix(to, callback+"?error=invalid_request&") ||
				!strings.Contains(to, "&state=some-state&iss=") {
				t.Errorf("%s by %s: %d to %q", twice, way, got.Status, to)
			}
		}
		for _, twice := range []string{"client_id=" + a.ID, "redirect_uri=" + url.QueryEscape(callback)} {
			got := ask(good + "&" + twice)
			if got.Status != http.StatusBadRequest || got.Header.Get("Location") != "" ||
				!strings.Contains(string(got.Body), `id="error-page"`) {
				t.Errorf("%s by %s: %d to %q", twice, way, got.Status, got.Header.Get("Location"))
			}
		}
		if got := ask(good); got.Header.Get("Location") == "" || strings.Contains(got.Header.Get("Location"), "error=") {
			t.Errorf("without the trick by %s: %d to %q", way, got.Status, got.Header.Get("Location"))
		}
	}
}
