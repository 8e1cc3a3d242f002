package provider_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/term"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

func credentials(pairs ...string) url.Values {
	return form(append([]string{"grant_type", "client_credentials"}, pairs...)...)
}

// Rules: TOKEN-6, TOKEN-12, TOKEN-13
func TestClientCredentialsAnswer(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		a := w.app(apps.Registration{Type: storage.ClientService, Profile: storage.ProfilePlatform,
			Scopes: []string{"data:read", "data:write"}})
		got := w.token(a, credentials("scope", "data:read"))
		body := got.JSON(t)
		token, _ := body["access_token"].(string)
		claims, err := w.Keys.VerifyAccess(t.Context(), token)
		if err != nil || claims.UserID != "" || claims.GrantID != "" || claims.Subject != a.ID ||
			claims.Scope != "data:read" {
			t.Errorf("claims %+v, error %v", claims, err)
		}
		delete(body, "access_token")
		want := map[string]any{"token_type": "Bearer", "expires_in": float64(3600), "expires_at": float64(claims.ExpiresAt)}
		if diff := cmp.Diff(want, body); diff != "" {
			t.Errorf("the rest of the answer (-want +got):\n%s", diff)
		}
		if header := part(t, token, 0); header["alg"] != "RS256" || header["typ"] != "at+jwt" || header["kid"] == "" {
			t.Errorf("header %v", header)
		}
	})
}

// Rules: TOKEN-7, TOKEN-20, SCOPE-4
func TestClientCredentialsScope(t *testing.T) {
	w := newWorld(t, settings{})
	scopes := []string{"data:read", "data:read:", "data:write", "openid", "user:read"}
	platform := w.app(apps.Registration{Profile: storage.ProfilePlatform, Scopes: scopes})
	standard := w.app(apps.Registration{Profile: storage.ProfileStandard, Scopes: scopes})

	if body := w.granted(platform, credentials()); body["scope"] != "data:read data:read: data:write" {
		t.Errorf("without a scope: %v", body["scope"])
	}
	if body := w.granted(platform, credentials("scope", "data:write data:read")); body["scope"] != nil {
		t.Errorf("the scope came as asked for, and the answer mentions it: %v", body["scope"])
	}
	if body := w.granted(platform, credentials("scope", "data:read:urn:portico:fs.folder:co.abc")); body["scope"] != nil {
		t.Errorf("one resource: %v", body["scope"])
	}
	for _, needsUser := range []string{"openid", "user:read"} {
		w.refused(w.token(platform, credentials("scope", needsUser)), 400, "invalid_scope")
		w.refused(w.token(standard, credentials("scope", needsUser)), 400, "invalid_scope")
	}
	for name, asked := range map[string]string{"unknown": "data:read no:such", "not registered": "data:read data:create"} {
		t.Run(name, func(t *testing.T) {
			w.refused(w.token(platform, credentials("scope", asked)), 400, "invalid_scope")
			if body := w.granted(standard, credentials("scope", asked)); body["scope"] != "data:read" {
				t.Errorf("a standard client got %v", body["scope"])
			}
		})
	}
	w.refused(w.token(platform, credentials("scope", strings.Repeat("x", 2001))), 400, "invalid_scope")
	w.refused(w.token(standard, credentials("scope", "no:such")), 400, "invalid_scope")
}

// Rules: TOKEN-14, TOKEN-15, TOKEN-16, TOKEN-17, TOKEN-24
func TestTokenRequestIsJudgedStrictly(t *testing.T) {
	w := newWorld(t, settings{})
	platform := w.app(apps.Registration{Profile: storage.ProfilePlatform})
	standard := w.app(apps.Registration{})
	service := w.app(apps.Registration{Type: storage.ClientService})
	cases := []struct {
		name string
		app  app
		form url.Values
		code string
	}{
		{"grant_type missing", platform, form("scope", "data:read"), "invalid_request"},
		{"grant_type empty", platform, form("grant_type", ""), "invalid_request"},
		{"grant_type unknown, platform", platform, form("grant_type", "magic"), "invalid_request"},
		{"grant_type unknown, standard", standard, form("grant_type", "magic"), "unsupported_grant_type"},
		{"the password grant does not exist", standard, form("grant_type", "password", "username", "x", "password", "y"),
			"unsupported_grant_type"},
		{"code missing", platform, form("grant_type", "authorization_code", "redirect_uri", callback), "invalid_request"},
		{"redirect_uri missing", platform, form("grant_type", "authorization_code", "code", "x"), "invalid_request"},
		{"code unknown", platform, form("grant_type", "authorization_code", "code", "x", "redirect_uri", callback),
			"invalid_grant"},
		{"refresh_token missing", platform, form("grant_type", "refresh_token"), "invalid_request"},
		{"a grant the client's type does not have", service, form("grant_type", "refresh_token", "refresh_token", "x"),
			"unauthorized_client"},
		{"two grant types", platform, form("grant_type", "client_credentials refresh_token"), "invalid_request"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { w.refused(w.token(c.app, c.form), 400, c.code) })
	}
	if got := w.token(platform, credentials("extra", "foobar")); got.Status != http.StatusOK {
		t.Errorf("an unknown parameter is ignored: %d %s", got.Status, got.Body)
	}
}

// raw sends a token request as it is.
func (w *world) raw(contentType, query, body string, header http.Header) answer {
	w.Helper()
	r, err := http.NewRequest(http.MethodPost, w.URL+"/authentication/v2/token"+query, strings.NewReader(body))
	w.must(err)
	r.Header = http.Header{"Content-Type": {contentType}}
	for name, values := range header {
		r.Header[name] = values
	}
	return w.do(plain, r)
}

// Rule: TOKEN-1
func TestTokenRequestBodiesThatAreRefused(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	good := credentials("client_id", a.ID, "client_secret", a.Secret).Encode()
	cases := []struct {
		name, contentType, query, body string
		status                         int
	}{
		{"a repeated parameter", formType, "", good + "&scope=data%3Aread&scope=data%3Aread", 400},
		{"a repeated grant_type", formType, "", good + "&grant_type=client_credentials", 400},
		{"JSON", "application/json", "", `{"grant_type":"client_credentials"}`, 415},
		{"multipart", "multipart/form-data; boundary=x", "", "--x--", 415},
		{"more than 64 KiB", formType, "", good + "&x=" + strings.Repeat("a", 64<<10), 413},
		{"more than 250 parameters", formType, "", good + strings.Repeat("&", 250), 400},
		{"invalid UTF-8", formType, "", good + "&x=%ff", 400},
		{"the character U+0000", formType, "", good + "&x=%00", 400},
		{"a broken escape", formType, "", good + "&x=%zz", 400},
		{"a secret in the URL", formType, "?client_secret=" + a.Secret, good, 400},
		{"a code in the URL", formType, "?code=x", good, 400},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w.refused(w.raw(c.contentType, c.query, c.body, nil), c.status, "invalid_request")
		})
	}
	if got := w.raw(formType, "", good, nil); got.Status != http.StatusOK {
		t.Errorf("without the trick: %d %s", got.Status, got.Body)
	}
}

// Rules: TOKEN-1, TOKEN-2, TOKEN-17, TOKEN-19, TOKEN-31
func TestClientAuthentication(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	spa := w.app(apps.Registration{Type: storage.ClientSPA, Profile: storage.ProfilePlatform, Scopes: []string{"openid"}})
	native := w.app(apps.Registration{Type: storage.ClientNative, RedirectURIs: []string{"http://127.0.0.1/cb"}})
	service := w.app(apps.Registration{Type: storage.ClientService, Profile: storage.ProfilePlatform})
	disabled := w.app(apps.Registration{})
	w.must(w.Store.SetClientDisabled(t.Context(), w.act(), disabled.ID, true))
	header := func(id, secret string) http.Header {
		r, _ := http.NewRequest(http.MethodPost, "/", nil)
		r.SetBasicAuth(id, secret)
		return http.Header{"Authorization": {r.Header.Get("Authorization")}}
	}
	ok := []struct {
		name   string
		form   url.Values
		header http.Header
	}{
		{"Basic", credentials(), header(a.ID, a.Secret)},
		{"Basic, percent-encoded", credentials(),
			header(url.QueryEscape(a.ID), strings.ReplaceAll(url.QueryEscape(a.Secret), "-", "%2D"))},
		{"body", credentials("client_id", a.ID, "client_secret", a.Secret), nil},
		{"Basic with the same id in the body", credentials("client_id", a.ID), header(a.ID, a.Secret)},
		{"Basic, and nothing as a secret in the body", credentials("client_secret", ""), header(a.ID, a.Secret)},
	}
	for _, c := range ok {
		t.Run(c.name, func(t *testing.T) {
			if got := w.raw(formType, "", c.form.Encode(), c.header); got.Status != http.StatusOK {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
		})
	}
	refused := []struct {
		name   string
		form   url.Values
		header http.Header
		status int
		code   string
	}{
		{"wrong secret in the header", credentials(), header(a.ID, "wrong"), 401, "invalid_client"},
		{"wrong secret in the body", credentials("client_id", a.ID, "client_secret", "wrong"), nil, 401, "invalid_client"},
		{"no secret", credentials("client_id", a.ID), nil, 401, "invalid_client"},
		{"unknown client", credentials("client_id", "nobody", "client_secret", a.Secret), nil, 401, "invalid_client"},
		{"unknown client in the header", credentials(), header("nobody", a.Secret), 401, "invalid_client"},
		{"disabled client", credentials("client_id", disabled.ID, "client_secret", disabled.Secret), nil,
			401, "invalid_client"},
		{"disabled client in the header", credentials(), header(disabled.ID, disabled.Secret), 401, "invalid_client"},
		{"another client's secret", credentials(), header(a.ID, disabled.Secret), 401, "invalid_client"},
		{"no credentials", credentials(), nil, 401, "invalid_client"},
		{"header and body", credentials("client_id", a.ID, "client_secret", a.Secret), header(a.ID, a.Secret),
			400, "invalid_request"},
		{"a public client with a secret", form("grant_type", "refresh_token", "refresh_token", "x", "client_id", spa.ID,
			"client_secret", "x"), nil, 401, "invalid_client"},
		{"a public client with a header", form("grant_type", "refresh_token", "refresh_token", "x"), header(spa.ID, ""),
			401, "invalid_client"},
		{"a standard public client with a password", form("grant_type", "refresh_token", "refresh_token", "x"),
			header(native.ID, "x"), 401, "invalid_client"},
		{"a confidential client with an empty password", credentials(), header(a.ID, ""), 401, "invalid_client"},
		{"another id beside the header", credentials("client_id", native.ID), header(a.ID, a.Secret), 400, "invalid_request"},
		{"an id beside the header, platform", credentials("client_id", service.ID), header(service.ID, service.Secret),
			400, "invalid_request"},
		{"another id beside a wrong secret", credentials("client_id", native.ID), header(a.ID, "wrong"),
			401, "invalid_client"},
		{"an id beside a wrong secret, platform", credentials("client_id", service.ID), header(service.ID, "wrong"),
			401, "invalid_client"},
		{"an id beside an unknown one", credentials("client_id", a.ID), header("nobody", "wrong"), 401, "invalid_client"},
		{"a public client asks for client_credentials", credentials("client_id", spa.ID), nil, 400, "unauthorized_client"},
	}
	empty := w.raw(formType, "", form("grant_type", "refresh_token", "refresh_token", "x").Encode(), header(native.ID, ""))
	w.refused(empty, 400, "invalid_grant") // so it is a client; it has the right to nothing else
	var words any                          // the same for all, or they would tell what exists
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			got := w.raw(formType, "", c.form.Encode(), c.header)
			w.refused(got, c.status, c.code)
			if c.code == "invalid_client" {
				said := got.JSON(t)["error_description"]
				if words == nil {
					words = said
				}
				if said != words {
					t.Errorf("says %v, and %v elsewhere", said, words)
				}
			}
			challenged := strings.HasPrefix(got.Header.Get("WWW-Authenticate"), "Basic ")
			if want := c.status == 401 && c.header != nil; challenged != want {
				t.Errorf("WWW-Authenticate is %q", got.Header.Get("WWW-Authenticate"))
			}
		})
	}
}

// Rule: TOKEN-3
func TestTwoSecretsLiveAtOnceAndAThirdEndsTheOneThatIsNamed(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	second, err := w.Apps.RotateSecret(t.Context(), w.act(), a.ID, apps.NewSecret{})
	w.must(err)
	w.wait(clientLag)
	for _, secret := range []string{a.Secret, second.Secret} {
		if got := w.token(app{a.Client, secret}, credentials()); got.Status != http.StatusOK {
			t.Errorf("got %d %s", got.Status, got.Body)
		}
	}
	third, err := w.Apps.RotateSecret(t.Context(), w.act(), a.ID, apps.NewSecret{Ends: []string{a.Secrets[0].ID}})
	w.must(err)
	w.wait(clientLag)
	w.refused(w.token(a, credentials()), 401, "invalid_client")
	if got := w.token(app{a.Client, third.Secret}, credentials()); got.Status != http.StatusOK {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}

// Rule: PORTAL-22
func TestASecretEndsWhenItsPersonChose(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	brief, err := w.Apps.RotateSecret(t.Context(), w.act(), a.ID,
		apps.NewSecret{Term: term.Term{Label: "Migration", EndsAt: w.ambient.Now().Add(time.Hour)}})
	w.must(err)
	w.wait(clientLag)
	if got := w.token(app{a.Client, brief.Secret}, credentials()); got.Status != http.StatusOK {
		t.Errorf("before its end: %d %s", got.Status, got.Body)
	}
	w.wait(time.Hour)
	w.refused(w.token(app{a.Client, brief.Secret}, credentials()), 401, "invalid_client")
	if got := w.token(a, credentials()); got.Status != http.StatusOK {
		t.Errorf("the other one: %d %s", got.Status, got.Body)
	}
}

// Rule: TOKEN-31
func TestAPublicClientOfProfileStandardMayNameItselfByBasic(t *testing.T) {
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
		"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	for profile, want := range map[string]int{storage.ProfileStandard: http.StatusOK,
		storage.ProfilePlatform: http.StatusUnauthorized} {
		w := newWorld(t, settings{})
		w.person(somebody)
		a := w.app(apps.Registration{Type: storage.ClientSPA, Profile: profile, Scopes: []string{"openid"}})
		header := http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(a.ID+":"))}}
		code := w.browser().code(a, somebody, "code_challenge", challenge, "code_challenge_method", "S256")
		exchange := form("grant_type", "authorization_code", "code", code, "redirect_uri", callback,
			"code_verifier", verifier)
		got := w.raw(formType, "", exchange.Encode(), header)
		if got.Status != want {
			t.Errorf("%s: %d %s", profile, got.Status, got.Body)
		}
		if want != http.StatusOK {
			continue
		}
		refresh := form("grant_type", "refresh_token", "refresh_token", got.JSON(t)["refresh_token"].(string), "client_id",
			a.ID)
		if got := w.raw(formType, "", refresh.Encode(), header); got.Status != want {
			t.Errorf("%s, refresh with the id in the body as well: %d %s", profile, got.Status, got.Body)
		}
	}
}

// Rule: TOKEN-29
func TestEveryTokenAnswerOfProfileStandardSaysItsScope(t *testing.T) {
	for profile, told := range map[string]bool{storage.ProfileStandard: true, storage.ProfilePlatform: false} {
		w := newWorld(t, settings{})
		w.person(somebody)
		a := w.app(apps.Registration{Profile: profile, Scopes: []string{"openid", "data:read"}})
		code := w.browser().tokens(a, somebody, "scope", "openid data:read")
		for name, answer := range map[string]struct {
			body  map[string]any
			scope string
		}{
			"code":               {code, "openid data:read"},
			"refresh":            {w.refreshWith(a, code).JSON(t), "openid data:read"},
			"client_credentials": {w.granted(a, credentials("scope", "data:read")), "data:read"},
		} {
			scope, is := answer.body["scope"]
			if is != told || told && scope != answer.scope {
				t.Errorf("%s, %s: scope is %v", profile, name, scope)
			}
		}
	}
}

// Rule: TOKEN-30
func TestAClientMayHaveAccessTokensOfTypJWT(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	for plain, typ := range map[bool]string{true: "JWT", false: "at+jwt"} {
		a := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}, PlainJWT: plain})
		b := w.browser()
		code := b.tokens(a, somebody, "scope", "openid data:read")
		refreshed := w.refreshWith(a, code).JSON(t)
		for name, token := range map[string]any{
			"code": code["access_token"], "refresh": refreshed["access_token"],
			"client_credentials": w.granted(a, credentials())["access_token"],
		} {
			if got := part(t, token, 0)["typ"]; got != typ {
				t.Errorf("%s: typ %v, want %s", name, got, typ)
			}
			if w.introspect(a, token.(string)).JSON(t)["active"] != true {
				t.Errorf("%s, typ %s: not active here", name, typ)
			}
		}
		if got := w.userInfo(code["access_token"].(string)); got.Status != http.StatusOK {
			t.Errorf("user info by typ %s: %d", typ, got.Status)
		}
		id := code["id_token"].(string)
		if got := w.userInfo(id); got.Status != http.StatusUnauthorized || w.introspect(a, id).JSON(t)["active"] != false {
			t.Errorf("an ID token passes for an access token: %d", got.Status)
		}
		v := b.get(w.authorizeURL(a, "id_token_hint", code["access_token"].(string)))
		if v.Away == nil || v.Away.Query().Get("error") != "invalid_request" {
			t.Errorf("an access token of typ %s passes for a hint: %v", typ, v.Away)
		}
	}
}
