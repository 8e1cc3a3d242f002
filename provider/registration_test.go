package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// agent is what a client without a secret on people's machines says of itself.
func agent() map[string]any {
	return map[string]any{"client_name": "Agent", "redirect_uris": []string{"http://localhost/callback"},
		"token_endpoint_auth_method": "none", "software_id": "x", "contacts": []string{"dev@example.test"}}
}

// itself calls where clients register themselves; what says of itself is JSON unless it
// is text.
func (w *world) itself(method, path, token string, says any) answer {
	w.Helper()
	text, plainText := says.(string)
	body := []byte(text)
	if !plainText && says != nil {
		var err error
		body, err = json.Marshal(says)
		w.must(err)
	}
	r, err := http.NewRequestWithContext(w.Context(), method, w.URL+registration.Path+path, bytes.NewReader(body))
	w.must(err)
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	if plainText {
		r.Header.Set("Content-Type", "text/plain")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return w.do(plain, r)
}

// registered is a client that has registered itself, and the token it looks after itself by.
func (w *world) registered(says map[string]any) (app, string) {
	w.Helper()
	got := w.itself("POST", "", "", says)
	if got.Status != http.StatusCreated {
		w.Fatalf("registering: %d %s", got.Status, got.Body)
	}
	told := got.JSON(w)
	client, err := w.Store.FindClient(w.Context(), told["client_id"].(string))
	w.must(err)
	secret, _ := told["client_secret"].(string)
	return app{client, secret}, told["registration_access_token"].(string)
}

// Rules: DCR-1, DCR-4, DCR-7
func TestAClientThatRegisteredItselfSignsPeopleIn(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.registering = registration.Open
		a, _ := w.registered(agent())
		a.RedirectURIs = []string{"http://localhost:58135/callback"} // any free port
		b := w.browser()
		page := b.get(w.authorizeURL(a, append(pkce, "scope", "")...))
		page = b.submit(page, "login-form", form("username", somebody, "password", goodPassword))
		for _, mark := range []string{`id="itself"`, "registered itself", "<bdi>localhost:58135</bdi>"} {
			if !strings.Contains(string(page.Body), mark) {
				t.Errorf("the page that asks does not say %s:\n%s", mark, page.Body)
			}
		}
		page = b.submit(page, "consent-form", form("decision", "allow"))
		if page.Away == nil {
			t.Fatalf("on %s:\n%s", page.At, w.said)
		}
		tokens := w.granted(a, form("grant_type", "authorization_code", "code", page.Away.Query().Get("code"),
			"code_verifier", verifier))
		if said := tokens["scope"]; said != "openid profile email offline_access user-profile:read data:read" {
			t.Errorf("the scopes are %q", said)
		}
		w.granted(a, form("grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string)))
		w.must(w.Apps.SetDisabled(t.Context(), w.act(), a.ID, true))
		w.wait(clientLag)
		got := w.token(a, form("grant_type", "refresh_token", "refresh_token", tokens["refresh_token"].(string)))
		w.refused(got, http.StatusUnauthorized, "invalid_client")
	})
}

// Rule: DCR-12
func TestAClientThatRegisteredItselfSignsPeopleInByACodeWithAChallengeAlone(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.registering = registration.Open
		web := map[string]any{"client_name": "Web", "redirect_uris": []string{callback},
			"response_types": []string{"code", "id_token", "code id_token"}}
		told := w.itself("POST", "", "", web).JSON(t)
		if types := told["response_types"].([]any); len(types) != 1 || types[0] != "code" ||
			slices.Contains(told["grant_types"].([]any), any("implicit")) {
			t.Errorf("response_types %v, grant_types %v", types, told["grant_types"])
		}
		a, _ := w.registered(web)
		asks := append(pkce, "scope", "openid", "nonce", "n")
		for _, kind := range []string{"id_token", "code id_token"} {
			v := w.browser().through(w.browser().get(w.authorizeURL(a, append(asks, "response_type", kind)...)), "")
			if v.Away == nil || !strings.Contains(v.Away.String(), "unsupported_response_type") &&
				!strings.Contains(v.Away.String(), "unauthorized_client") {
				t.Errorf("%s: sent to %v, %d on %v", kind, v.Away, v.Status, v.At)
			}
		}
		if v := w.browser().get(w.authorizeURL(a, "scope", "openid")); v.Away == nil ||
			!strings.Contains(v.Away.String(), "invalid_request") {
			t.Errorf("without a challenge: sent to %v, %d on %v", v.Away, v.Status, v.At)
		}
		if v := w.browser().get(w.authorizeURL(a, asks...)); v.At.Path != "/login" {
			t.Errorf("with one: %d on %v, sent to %v", v.Status, v.At, v.Away)
		}
	})
}

// Rule: DCR-11
func TestWhoWasAllowedIsAskedAgainAfterTheRegistrationChanged(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.registering = registration.Open
		page := agent()
		page["redirect_uris"] = []string{"https://agent.example.test/callback"}
		a, token := w.registered(page)
		b := w.browser()
		v := b.through(w.arrives(b, a), somebody)
		if v.Away == nil {
			t.Fatalf("on %s:\n%s", v.At, w.said)
		}
		if v := w.arrives(b, a); v.Away == nil {
			t.Errorf("asked again though nothing is other: on %s", v.At)
		}
		w.wait(time.Minute)
		page["client_id"], page["redirect_uris"] = a.ID, []string{"https://other.example.test/callback"}
		if got := w.itself("PUT", "/"+a.ID, token, page); got.Status != http.StatusOK {
			t.Fatalf("replaced: %d %s", got.Status, got.Body)
		}
		w.wait(clientLag)
		a.RedirectURIs = []string{"https://other.example.test/callback"}
		if v = w.arrives(b, a); v.Away != nil || v.At.Path != "/consent" {
			t.Fatalf("sent to %v, on %v", v.Away, v.At)
		}
		if v = b.submit(v, "consent-form", form("decision", "allow")); v.Away == nil {
			t.Errorf("what was allowed does not count: on %s", v.At)
		}
		if v := w.arrives(b, a); v.Away == nil {
			t.Errorf("asked for ever: on %s", v.At)
		}
	})
}

// Rule: DCR-11
func TestWhoAllowsAClientThatRegisteredByAClockThatWasAheadIsAskedOnce(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		w.registering = registration.Open
		page := agent()
		page["redirect_uris"] = []string{"https://agent.example.test/callback"}
		w.wait(time.Hour)
		a, _ := w.registered(page)
		w.wait(-time.Hour)
		b := w.browser()
		if v := b.through(w.arrives(b, a), somebody); v.Away == nil {
			t.Errorf("asked for ever: on %s", v.At)
		}
		if v := w.arrives(b, a); v.Away == nil {
			t.Errorf("asked again: on %s", v.At)
		}
	})
}

// Rule: DCR-1
func TestWhoMayRegisterThemselves(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		act := w.act()
		_, once, err := w.Registrar.AddToken(t.Context(), act, "once", 1, 7)
		w.must(err)
		gone, ended, err := w.Registrar.AddToken(t.Context(), act, "ended", 5, 7)
		w.must(err)
		w.must(w.Registrar.EndToken(t.Context(), act, gone.ID))
		for _, c := range []struct {
			name, mode, token string
			status            int
			code              string
		}{
			{"nobody where it is closed", registration.Closed, "", http.StatusForbidden, "access_denied"},
			{"nor with a token", registration.Closed, once, http.StatusForbidden, "access_denied"},
			{"nobody without a token", registration.ByToken, "", http.StatusUnauthorized, "invalid_token"},
			{"nor with another", registration.ByToken, "guess", http.StatusUnauthorized, "invalid_token"},
			{"nor with one that has ended", registration.ByToken, ended, http.StatusUnauthorized, "invalid_token"},
			{"nor with a wrong one where none is needed", registration.Open, "guess", http.StatusUnauthorized, "invalid_token"},
			{"once with a token for one", registration.ByToken, once, http.StatusCreated, ""},
			{"and not twice", registration.ByToken, once, http.StatusUnauthorized, "invalid_token"},
			{"everybody where it is open", registration.Open, "", http.StatusCreated, ""},
		} {
			w.registering = c.mode
			got := w.itself("POST", "", c.token, agent())
			if got.Status != c.status || c.code != "" && got.JSON(t)["error"] != c.code {
				t.Errorf("%s: %d %s", c.name, got.Status, got.Body)
			}
			if challenge := got.Header.Get("WWW-Authenticate"); (c.status == http.StatusUnauthorized) != (challenge != "") {
				t.Errorf("%s: challenge %q", c.name, challenge)
			}
		}
		all, err := w.Registrar.List(t.Context())
		w.must(err)
		if len(all) != 2 || all[1].TokenLabel != "once" || all[0].TokenID != "" {
			t.Errorf("listed are %+v", all)
		}
		for mode, want := range map[string]any{registration.Closed: nil, registration.Open: w.URL + registration.Path} {
			w.registering = mode
			if got := w.get("/.well-known/oauth-authorization-server").JSON(t)["registration_endpoint"]; got != want {
				t.Errorf("where it is %s the metadata say %v", mode, got)
			}
		}
	})
}

// Rules: DCR-2, DCR-3
func TestWhatAClientMayRegisterItselfAs(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.registering = registration.Open
		https := []string{"https://app.example.test/cb"}
		for name, c := range map[string]struct {
			says map[string]any
			want storage.ClientType
		}{
			"a web app": {map[string]any{"redirect_uris": https}, storage.ClientWeb},
			"a single-page app": {map[string]any{"redirect_uris": https, "token_endpoint_auth_method": "none"},
				storage.ClientSPA},
			"a native one that says so": {map[string]any{"redirect_uris": https, "token_endpoint_auth_method": "none",
				"application_type": "native"}, storage.ClientNative},
			"one of loopback": {agent(), storage.ClientNative},
			"one of loopback and the web": {map[string]any{"redirect_uris": []string{"http://127.0.0.1:33418/",
				"https://vscode.dev/redirect"}, "token_endpoint_auth_method": "none"}, storage.ClientNative},
			"one of a scheme of its own": {map[string]any{"redirect_uris": []string{"com.example.app:/cb"},
				"token_endpoint_auth_method": "none"}, storage.ClientNative},
			"one with keys": {map[string]any{"redirect_uris": https, "token_endpoint_auth_method": "private_key_jwt",
				"jwks": json.RawMessage(keySet(jose.JSONWebKey{Key: newKeyFor(t, jose.ES256).Public(), KeyID: "k"}))},
				storage.ClientWeb},
		} {
			a, _ := w.registered(c.says)
			if a.Type != c.want || a.Profile != storage.ProfileStandard || a.Origin != storage.OriginOpen ||
				(a.Secret != "") != (a.Type == storage.ClientWeb && a.AuthMethod == "") {
				t.Errorf("%s is %+v", name, a)
			}
		}
		greedy := agent()
		greedy["scope"] = "data:write account:write unknown offline_access"
		greedy["first_party"], greedy["internal"], greedy["grant_types"] = true, true, []string{"authorization_code"}
		if a, _ := w.registered(greedy); !slices.Contains(a.Scopes, "data:write") || a.FirstParty || a.Internal ||
			slices.ContainsFunc(a.Scopes, func(name string) bool {
				return name == "account:write" || name == "unknown" || name == "offline_access"
			}) {
			t.Errorf("a greedy one is %+v", a)
		}
		secretive, _ := w.registered(map[string]any{"redirect_uris": https})
		w.refused(w.token(secretive, form("grant_type", "client_credentials")), http.StatusBadRequest, "unauthorized_client")
		for name, c := range map[string]struct {
			member string
			value  any
			code   string
		}{
			"no address":            {"redirect_uris", []string{}, "invalid_redirect_uri"},
			"a script":              {"redirect_uris", []string{"JavaScript:alert(1)"}, "invalid_redirect_uri"},
			"plain http":            {"redirect_uris", []string{"http://app.example.test/"}, "invalid_redirect_uri"},
			"a script as its logo":  {"logo_uri", "jAvAsCrIpT:alert(1)", "invalid_client_metadata"},
			"no grant of people":    {"grant_types", []string{"client_credentials"}, "invalid_client_metadata"},
			"a certificate":         {"token_endpoint_auth_method", "tls_client_auth", "invalid_client_metadata"},
			"another type":          {"client_name", 7, "invalid_client_metadata"},
			"somebody's word":       {"software_statement", "e30.e30.", "unapproved_software_statement"},
			"a jwks_uri of our own": {"jwks_uri", "https://169.254.169.254/keys", "invalid_client_metadata"},
		} {
			says := agent()
			says[c.member] = c.value
			if got := w.itself("POST", "", "", says); got.Status != http.StatusBadRequest || got.JSON(t)["error"] != c.code {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		if got := w.itself("POST", "", "", "text"); got.Status != http.StatusUnsupportedMediaType {
			t.Errorf("text: %d %s", got.Status, got.Body)
		}
		huge := agent()
		huge["client_name"] = strings.Repeat("x", 1<<20)
		if got := w.itself("POST", "", "", huge); got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("a huge body: %d %s", got.Status, got.Body)
		}
	})
}

// Rule: DCR-5
func TestAClientLooksAfterItsRegistration(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.registering = registration.Open
		a, token := w.registered(agent())
		b, other := w.registered(agent())
		w.registering = registration.Closed // who is in, stays
		if got := w.itself("GET", "/"+a.ID, token, nil); got.Status != http.StatusOK ||
			got.JSON(t)["client_name"] != "Agent" ||
			got.JSON(t)["registration_access_token"] != token {
			t.Errorf("shown: %d %s", got.Status, got.Body)
		}
		says := agent()
		says["client_id"], says["client_name"], says["scope"] = a.ID, "Other", "data:read account:write"
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			for _, wrong := range []string{"", "guess", other} {
				w.refused(w.itself(method, "/"+a.ID, wrong, says), http.StatusUnauthorized, "invalid_token")
			}
		}
		got := w.itself("PUT", "/"+a.ID, token, says)
		if got.Status != http.StatusOK || got.JSON(t)["client_name"] != "Other" ||
			strings.Contains(string(got.Body), "account:write") {
			t.Errorf("replaced: %d %s", got.Status, got.Body)
		}
		for member, value := range map[string]any{"client_id": b.ID, "client_secret": "guess",
			"token_endpoint_auth_method": "client_secret_basic", "redirect_uris": []string{"data:text/html,x"}} {
			says := agent()
			says["client_id"] = a.ID
			says[member] = value
			if got := w.itself("PUT", "/"+a.ID, token, says); got.Status != http.StatusBadRequest {
				t.Errorf("replaced with %s %v: %d %s", member, value, got.Status, got.Body)
			}
		}
		w.must(w.Apps.SetDisabled(t.Context(), w.act(), b.ID, true))
		says["client_id"] = b.ID
		w.refused(w.itself("PUT", "/"+b.ID, other, says), http.StatusUnauthorized, "invalid_token")
		if now, err := w.Store.FindClient(t.Context(), b.ID); err != nil || !now.Disabled || now.Name != "Agent" {
			t.Errorf("a disabled one is %+v, %v", now, err)
		}
		if got := w.itself("DELETE", "/"+a.ID, token, nil); got.Status != http.StatusNoContent {
			t.Errorf("deleted: %d %s", got.Status, got.Body)
		}
		w.refused(w.itself("GET", "/"+a.ID, token, nil), http.StatusUnauthorized, "invalid_token")
	})
}

// Rule: DCR-13
func TestAClientIsToldTheProofThatItRegistered(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.registering = registration.Open
		for said, want := range map[string]string{"client_secret_post": "client_secret_post",
			"client_secret_basic": "client_secret_basic", "": "client_secret_basic"} {
			says := map[string]any{"redirect_uris": []string{"https://app.example.test/cb"}}
			if said != "" {
				says["token_endpoint_auth_method"] = said
			}
			got := w.itself("POST", "", "", says)
			told := got.JSON(t)
			id, token := told["client_id"].(string), told["registration_access_token"].(string)
			if told["token_endpoint_auth_method"] != want || told["client_secret"] == nil {
				t.Errorf("registered as %q: %d %s", said, got.Status, got.Body)
			}
			if shown := w.itself("GET", "/"+id, token, nil).JSON(t); shown["token_endpoint_auth_method"] != want {
				t.Errorf("registered as %q, shown %v", said, shown)
			}
			secret := told["client_secret"].(string)
			inBody := form("grant_type", "refresh_token", "refresh_token", "none", "client_id", id, "client_secret", secret)
			w.refused(w.send("POST", "/authentication/v2/token", inBody.Encode(), "Content-Type",
				"application/x-www-form-urlencoded"), http.StatusBadRequest, "invalid_grant") // proven, and no token
			inBody.Set("client_secret", "guess")
			w.refused(w.send("POST", "/authentication/v2/token", inBody.Encode(), "Content-Type",
				"application/x-www-form-urlencoded"), http.StatusUnauthorized, "invalid_client")
			for _, other := range []string{"client_secret_post", "client_secret_basic"} {
				says["client_id"], says["token_endpoint_auth_method"] = id, other
				for _, shown := range []answer{w.itself("PUT", "/"+id, token, says), w.itself("GET", "/"+id, token, nil)} {
					if shown.JSON(t)["token_endpoint_auth_method"] != other {
						t.Errorf("replaced by %s: %d %s", other, shown.Status, shown.Body)
					}
				}
			}
			says["token_endpoint_auth_method"] = "none"
			w.refused(w.itself("PUT", "/"+id, token, says), http.StatusBadRequest, "invalid_client_metadata")
		}
	})
}

// Rule: DCR-14
func TestAClientHoldsItselfToMoreThanIsUsual(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.registering = registration.Open
		key := json.RawMessage(keySet(jose.JSONWebKey{Key: newKeyFor(t, jose.ES256).Public(), KeyID: "k"}))
		for _, name := range []string{"dpop_bound_access_tokens", "tls_client_certificate_bound_access_tokens",
			"require_pushed_authorization_requests", "require_signed_request_object"} {
			says := map[string]any{"redirect_uris": []string{"https://app.example.test/cb"}, "jwks": key}
			told := w.itself("POST", "", "", says).JSON(t)
			id, token := told["client_id"].(string), told["registration_access_token"].(string)
			if told[name] != nil {
				t.Errorf("%s: not said, and told as %v", name, told[name])
			}
			says["client_id"] = id
			for _, says[name] = range []bool{true, false} { // it does not get looser again
				got := w.itself("PUT", "/"+id, token, says)
				if got.Status != http.StatusOK || got.JSON(t)[name] != true {
					t.Errorf("%s: %v: %d %s", name, says[name], got.Status, got.Body)
				}
			}
			delete(says, "client_id")
			says[name] = true
			told = w.itself("POST", "", "", says).JSON(t)
			app, err := w.Apps.Find(t.Context(), told["client_id"].(string))
			w.must(err)
			for field, demanded := range map[string]bool{"dpop_bound_access_tokens": app.ProofNeeded,
				"tls_client_certificate_bound_access_tokens": app.CertificateNeeded,
				"require_pushed_authorization_requests":      app.RequirePushed,
				"require_signed_request_object":              app.RequireSigned} {
				if demanded != (field == name) || told[name] != true {
					t.Errorf("%s: %s is %v", name, field, demanded)
				}
			}
		}
		says := agent()
		says["require_signed_request_object"] = true
		w.refused(w.itself("POST", "", "", says), http.StatusBadRequest, "invalid_client_metadata") // it has no keys
	})
}

// Rules: DCR-5, DCR-9
func TestAClientTakesBackNothingThatAnAdministratorTightened(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.registering = registration.Open
		a, token := w.registered(agent())
		read, err := w.Apps.Find(t.Context(), a.ID)
		w.must(err)
		act := w.act()
		_, err = w.Apps.Update(t.Context(), act, a.ID,
			apps.Change{ByAdministrator: true, Scopes: new([]string{"openid", "data:read"}),
				DefaultScopes: new([]string{"openid"}), FirstParty: new(true), Vouched: new(true),
				SecurityChange: apps.SecurityChange{RequirePushed: new(true), ProofNeeded: new(true), IDTokenAlg: new("ES256")}})
		w.must(err)
		says := registration.Metadata{ClientID: a.ID, Name: "Agent", RedirectURIs: a.RedirectURIs, AuthMethod: "none",
			Scope: "data:read data:search data:write", IDTokenAlg: "RS256"}
		if _, err := w.Registrar.Replace(t.Context(), act, read, says); !fault.Is(err, fault.Conflict) {
			t.Errorf("who read before and writes after: %v", err)
		}
		if got := w.itself("PUT", "/"+a.ID, token, says); got.Status != http.StatusOK {
			t.Fatalf("who reads after: %d %s", got.Status, got.Body)
		}
		now, err := w.Apps.Find(t.Context(), a.ID)
		w.must(err)
		if !slices.Equal(now.Scopes, []string{"data:read", "openid"}) &&
			!slices.Equal(now.Scopes, []string{"openid", "data:read"}) ||
			!slices.Equal(now.DefaultScopes, []string{"openid"}) || !now.RequirePushed || !now.ProofNeeded ||
			now.IDTokenAlg != "ES256" || !now.FirstParty || !now.Vouched {
			t.Errorf("it is %+v", now)
		}
		says.RedirectURIs = append(says.RedirectURIs, "https://other.example.test/callback")
		w.itself("PUT", "/"+a.ID, token, says)
		now, err = w.Apps.Find(t.Context(), a.ID)
		w.must(err)
		if len(now.RedirectURIs) != 2 || now.FirstParty || now.Vouched {
			t.Errorf("with another address it is %+v", now)
		}
	})
}

// Rule: DCR-6
func TestCallsForARegistrationCount(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, rates: ratelimit.Rates{ratelimit.Register: 4}})
		w.registering = registration.Open
		a, token := w.registered(agent())
		says := agent()
		says["client_id"] = a.ID
		for _, method := range []string{"GET", "PUT", "PUT"} {
			if got := w.itself(method, "/"+a.ID, token, says); got.Status != http.StatusOK {
				t.Errorf("%s: %d %s", method, got.Status, got.Body)
			}
		}
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			w.refused(w.itself(method, "/"+a.ID, token, says), http.StatusTooManyRequests, "temporarily_unavailable")
		}
	})
}

// Rule: DCR-6
func TestAFloodOfRegistrationsIsHeldBack(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database, rates: ratelimit.Rates{ratelimit.Register: 3}})
		w.registering = registration.Open
		for range 3 {
			w.registered(agent())
		}
		w.refused(w.itself("POST", "", "", agent()), http.StatusTooManyRequests, "temporarily_unavailable")
		w.wait(storage.KeepIdleEnrolments)
		w.registered(agent())
		if n, err := w.Registrar.Sweep(t.Context(), 10); err != nil || n != 3 {
			t.Errorf("%d went, %v", n, err)
		}
	})
}

// meddling is a store in which somebody else changes a client just before it is kept.
type meddling struct {
	*sqlstore.Store
	first func(id string)
}

func (m *meddling) UpdateClient(ctx context.Context, act storage.Act, client storage.Client) error {
	if first := m.first; first != nil {
		m.first = nil
		first(client.ID)
	}
	return m.Store.UpdateClient(ctx, act, client)
}

// Rule: DCR-9
func TestAClientThatSomebodyElseChangesMeanwhileIsToldSo(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		var store *meddling
		w := newWorld(t, settings{database: database, over: func(s *sqlstore.Store) provider.Store {
			store = &meddling{Store: s}
			return store
		}})
		w.registering = registration.Open
		a, token := w.registered(agent())
		wanted := agent()
		wanted["client_id"], wanted["client_name"] = a.ID, "Renamed"
		store.first = func(id string) {
			client, err := store.FindClient(w.Context(), id)
			w.must(err)
			client.Name = "An administrator's"
			w.must(store.Store.UpdateClient(w.Context(), w.act(), client))
		}
		got := w.itself("PUT", "/"+a.ID, token, wanted)
		if got.Status != http.StatusConflict || got.JSON(t)["error"] != "temporarily_unavailable" {
			t.Errorf("changed meanwhile: %d %s", got.Status, got.Body)
		}
		if got := w.itself("PUT", "/"+a.ID, token, wanted); got.Status != http.StatusOK ||
			got.JSON(t)["client_name"] != "Renamed" {
			t.Errorf("nobody else: %d %s", got.Status, got.Body)
		}
	})
}
