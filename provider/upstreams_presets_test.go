package provider_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/upstreams"
)

// preset makes an upstream of the preset, of which a stand-in is the server.
func (w *world) preset(name, issuer, secret string, pairs ...string) {
	w.Helper()
	change := upstreams.Change{"issuer": issuer, "client_id": "portico", "networks": "127.0.0.0/8", "join": "open"}
	for i := 0; i+1 < len(pairs); i += 2 {
		change[pairs[i]] = pairs[i+1]
	}
	_, err := w.Upstreams.Create(w.Context(), w.act(), name, name, secret, change)
	w.must(err)
}

// arrivesTwice signs somebody in to an app by the upstream, in two browsers: the app is told
// of one person by our name for them. Away goes to the upstream and comes back.
func (w *world) arrivesTwice(upstream string, away func(b *browser, v visit) visit) {
	w.Helper()
	a, subject := w.app(apps.Registration{}), ""
	for range 2 {
		b := w.browser()
		v := b.get(b.URL + "/login/upstream/" + upstream + "?" + b.get(b.authorizeURL(a)).At.RawQuery)
		if v = b.through(away(b, v), ""); v.Away == nil {
			w.Fatalf("not at the app: %d on %s: %s", v.Status, v.At, w.said)
		}
		claims := idTokenClaims(w, b.redeem(a, v.Away.Query().Get("code")).JSON(w))
		user := w.whose("one@works.test")
		if claims["iss"] != w.URL || claims["sub"] != user.ID || subject != "" && claims["sub"] != subject {
			w.Errorf("the app is told %v; the person is %s, and was %s", claims, user.ID, subject)
		}
		subject = user.ID
	}
}

// The presets are those of the guide, and each has its case in the tests below.
//
// Rule: FED-17
func TestThePresetsAreThoseOfTheGuide(t *testing.T) {
	want := map[string]string{"oidc": "", "google": "https://accounts.google.com",
		"entra": "https://login.microsoftonline.com/{tenantid}/v2.0", "apple": "https://appleid.apple.com",
		"github": "https://github.com", "gitlab": "https://gitlab.com", "portico": ""}
	got := map[string]string{}
	for name, preset := range upstreams.Presets() {
		got[name] = preset.Config.Issuer
	}
	if !maps.Equal(got, want) {
		t.Errorf("there are %v", got)
	}
	guide, err := os.ReadFile("../docs/upstreams.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range want {
		if !strings.Contains(string(guide), "--preset "+name+" ") {
			t.Errorf("the guide says nothing of %s", name)
		}
	}
}

// Rule: FED-17
func TestEveryPresetTakesWhatItsProviderAnswers(t *testing.T) {
	for name, one := range map[string]struct {
		preset, path string
		pairs        []string
		says         map[string]any
		subject      string
		stranger     map[string]any // what says that somebody else's people are not let in
	}{
		"Google": {preset: "google", pairs: []string{"hosted", "works.test"}, subject: "person-1",
			says: map[string]any{"hd": "works.test", "azp": "portico"}, stranger: map[string]any{"hd": "others.test"}},
		"Entra, one tenant": {preset: "entra", path: "/t1/v2.0", pairs: []string{"tenants", "t1"}, subject: "o1",
			says:     map[string]any{"tid": "t1", "oid": "o1", "ver": "2.0", "auth_time": nil, "sid": nil},
			stranger: map[string]any{"tid": "t2"}},
		"Entra, many tenants": {preset: "entra", path: "/{tenantid}/v2.0", pairs: []string{"tenants", "t1,t2"},
			says: map[string]any{"iss": "/t2/v2.0", "tid": "t2", "oid": "o1", "ver": "2.0"}, subject: "o1",
			stranger: map[string]any{"iss": "/t3/v2.0", "tid": "t3"}},
		"Entra, the tenant of another": {preset: "entra", path: "/{tenantid}/v2.0", pairs: []string{"tenants", "t1,t2"},
			says: map[string]any{"iss": "/t1/v2.0", "tid": "t1", "oid": "o1"}, subject: "o1",
			stranger: map[string]any{"iss": "/t1/v2.0", "tid": "t2"}},
		"GitLab": {preset: "gitlab", subject: "42", says: map[string]any{"sub": "42", "groups_direct": []string{"works/dev"},
			"sub_legacy": "x", "sid": nil}, stranger: map[string]any{"aud": "another"}},
		"another Portico": {preset: "portico", subject: "person-1", stranger: map[string]any{"aud": "another"}},
		"any provider":    {preset: "oidc", subject: "person-1", stranger: map[string]any{"aud": "another"}},
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, database string) {
				w := newWorld(t, settings{database: database})
				l := w.standIn(one.path)
				w.preset(one.preset, l.issuer, liarsSecret, one.pairs...)
				said := func(claims map[string]any) map[string]any {
					whole := map[string]any{}
					for _, some := range []map[string]any{one.says, claims} {
						for claim, value := range some {
							if whole[claim] = value; claim == "iss" {
								whole[claim] = l.URL + value.(string)
							}
						}
					}
					return whole
				}
				l.says = said(nil)
				w.arrivesTwice(one.preset, (*browser).throughAway)
				issuer, _ := l.says["iss"].(string)
				if issuer == "" {
					issuer = l.issuer
				}
				if _, err := w.Store.FindIdentity(t.Context(), one.preset, issuer, one.subject); err != nil || w.people() != 1 {
					t.Errorf("the identity is not %s at %s: %v; %d people", one.subject, issuer, err, w.people())
				}
				l.says = said(one.stranger)
				if b := w.browser(); b.visitUpstream(one.preset).Status != http.StatusBadRequest || b.isSignedIn() {
					t.Error("a stranger is let in")
				}
			})
		})
	}
}

// Rule: FED-17
func TestAppleSignsPeopleInByAPostOfItsPage(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		w.must(err)
		der, err := x509.MarshalPKCS8PrivateKey(key)
		w.must(err)
		l := w.standIn("")
		l.says = map[string]any{"name": nil, "email_verified": "true", "is_private_email": "true"}
		l.client = func(r *http.Request) {
			token, err := jwt.ParseSigned(r.FormValue("client_secret"), []jose.SignatureAlgorithm{jose.ES256})
			w.must(err)
			var claims map[string]any
			w.must(token.Claims(key.Public(), &claims))
			if claims["iss"] != "TEAM" || claims["sub"] != "portico" || claims["aud"] != l.URL ||
				token.Headers[0].KeyID != "KEY" {
				t.Errorf("we say that we are %v", claims)
			}
		}
		w.preset("apple", l.URL, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
			"team_id", "TEAM", "key_id", "KEY")
		w.arrivesTwice("apple", func(b *browser, out visit) visit {
			q := out.Away.Query()
			if q.Get("response_mode") != "form_post" {
				t.Fatalf("asked for %s", q)
			}
			form := url.Values{"state": {q.Get("state")}, "code": {codeFor + q.Get("nonce")}, "iss": {l.URL},
				"user": {`{"name":{"firstName":"Ada","lastName":"Apple"}}`}}
			r, err := http.NewRequest(http.MethodPost, q.Get("redirect_uri"), strings.NewReader(form.Encode()))
			w.must(err)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", l.URL)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			posted, err := http.DefaultTransport.RoundTrip(r) // by a browser that sends no cookies of ours
			w.must(err)
			_ = posted.Body.Close()
			to, err := url.Parse(posted.Header.Get("Location"))
			w.must(err)
			return b.get(w.URL + to.RequestURI())
		})
		user, _, err := w.Store.FindUserByLogin(t.Context(), "one@works.test")
		if err != nil || user.Profile.GivenName != "Ada" || !user.EmailVerified {
			t.Errorf("%+v %v", user, err)
		}
	})
}

// Rule: FED-17
func TestAGitHubOfOnesOwnIsBelowOneAddress(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		verified := true
		mux := http.NewServeMux()
		mux.HandleFunc("/login/oauth/authorize", func(rw http.ResponseWriter, r *http.Request) {
			back := url.Values{"code": {"code"}, "state": {r.FormValue("state")}}
			http.Redirect(rw, r, r.FormValue("redirect_uri")+"?"+back.Encode(), http.StatusFound)
		})
		failing := false
		mux.HandleFunc("/login/oauth/access_token", func(rw http.ResponseWriter, r *http.Request) {
			if r.FormValue("client_secret") != liarsSecret || r.FormValue("code_verifier") == "" {
				t.Error("who comes to the token endpoint?")
			}
			answer := map[string]string{"access_token": "gho_1", "token_type": "bearer"}
			if failing { // with status 200, as it does
				answer = map[string]string{"error": "bad_verification_code"}
			}
			_ = json.NewEncoder(rw).Encode(answer)
		})
		mux.HandleFunc("/api/v3/user", func(rw http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer gho_1" {
				t.Error("no token")
			}
			_ = json.NewEncoder(rw).Encode(map[string]any{"id": 583231, "login": "octocat", "name": "Octo Cat"})
		})
		mux.HandleFunc("/api/v3/user/emails", func(rw http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(rw).Encode([]map[string]any{{"email": "other@works.test", "primary": false, "verified": true},
				{"email": "one@works.test", "primary": true, "verified": verified}})
		})
		server := httptest.NewServer(mux)
		t.Cleanup(server.Close)
		w.preset("github", server.URL, liarsSecret)
		w.arrivesTwice("github", (*browser).throughAway)
		_, err := w.Store.FindIdentity(t.Context(), "github", server.URL, "583231")
		user, _, found := w.Store.FindUserByLogin(t.Context(), "one@works.test")
		if err != nil || found != nil || !user.EmailVerified || w.people() != 1 {
			t.Errorf("%v %v %+v", err, found, user)
		}
		failing = true
		if b := w.browser(); b.visitUpstream("github").Status != http.StatusBadRequest || b.isSignedIn() {
			t.Error("an error with status 200 signs in")
		}
	})
}
