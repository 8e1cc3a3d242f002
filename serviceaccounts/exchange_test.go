package serviceaccounts_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// Rules: INFO-9, EXCHANGE-1
func TestAnAssertionIsExchangedForATokenOfTheAccount(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	got := s.exchange(s.sign(nil))
	if got.Status != http.StatusOK || got.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	body := got.JSON(t)
	token, _ := body["access_token"].(string)
	delete(body, "access_token")
	want := object{"token_type": "Bearer", "expires_in": float64(3600)} // S1 2.5, and nothing else
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	claims, err := w.Keys.VerifyAccess(t.Context(), token)
	if err != nil || claims.Subject != s.account || claims.UserID != s.account || claims.ClientID != s.app.ID ||
		claims.Scope != "data:read" {
		t.Errorf("claims %+v, %v", claims, err)
	}
	info := w.expect(http.StatusOK, "GET", "/userinfo", token, "").JSON(t)
	wantInfo := object{"sub": s.account, "name": "robot", "email": "robot@" + s.app.ID + "." + emailDomain}
	if diff := cmp.Diff(wantInfo, info); diff != "" {
		t.Errorf("user info (-want +got):\n%s", diff)
	}
	seen := w.post("/authentication/v2/introspect", s.app, map[string][]string{"token": {token}}).JSON(t)
	if seen["active"] != true || seen["userid"] != s.account {
		t.Errorf("introspection %v", seen)
	}
}

// Rule: DISC-1
func TestDiscoveryListsTheExchange(t *testing.T) {
	w := newWorld(t, settings{})
	got := w.expect(http.StatusOK, "GET", "/.well-known/openid-configuration", "", "").JSON(t)
	grants, _ := got["grant_types_supported"].([]any)
	if !slices.Contains(grants, any(jwtBearer)) || got["token_endpoint"] != w.Issuer+tokenPath {
		t.Errorf("grants %v at %v", grants, got["token_endpoint"])
	}
}

// Rules: EXCHANGE-2, EXCHANGE-3
func TestGoodAssertionsOfEveryForm(t *testing.T) {
	w := newWorld(t, settings{audiences: []string{"https://api.example.test/token"}})
	s := w.signer(w.app(apps.Registration{}), "robot")
	now := w.ambient.Now().Unix()
	for name, changes := range map[string]object{
		"aud as an array of one":            {"aud": []string{w.Issuer + tokenPath}},
		"aud from the configured list":      {"aud": "https://api.example.test/token"},
		"scope as a string":                 {"scope": "data:read"},
		"iat, nbf and jti":                  {"iat": now, "nbf": now, "jti": "one"},
		"iat and nbf 25 s ahead":            {"iat": now + 25, "nbf": now + 25},
		"exp 5 minutes from now":            {"exp": now + 300},
		"exp 25 s ago":                      {"exp": now - 25},
		"exp with a fraction":               {"exp": float64(now) + 100.5},
		"claims nobody knows":               {"purpose": "nightly"},
		"a scope beyond, which is not used": {"scope": []string{"data:read", "openid"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := s.exchange(s.sign(changes), "scope", "data:read"); got.Status != http.StatusOK {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})
	}
}

// Rules: EXCHANGE-2, EXCHANGE-3, TOKEN-33
func TestForgedAndStaleAssertionsAreRefused(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	sister := w.key(s.app, w.account(s.app, "sister"))
	stranger := w.signer(w.app(apps.Registration{}), "stranger")
	now := w.ambient.Now().Unix()
	public, err := x509.MarshalPKIXPublicKey(&s.private.PublicKey)
	w.must(err)
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	good := s.sign(nil)
	parts := strings.Split(good, ".")
	header := func(json string) string { return base64.RawURLEncoding.EncodeToString([]byte(json)) }

	cases := map[string]string{
		"no JWT at all": "nonsense",
		"alg none":      header(`{"alg":"none","kid":"`+s.kid+`"}`) + "." + parts[1] + ".",
		"alg none with the signature kept": header(`{"alg":"none","kid":"`+s.kid+`"}`) + "." +
			parts[1] + "." + parts[2],
		"HS256 keyed with the public key's PEM":   s.signWith(jose.HS256, publicPEM, s.kid, s.claims(nil)),
		"HS256 keyed with the public key's DER":   s.signWith(jose.HS256, public, s.kid, s.claims(nil)),
		"RS512":                                   s.signWith(jose.RS512, s.private, s.kid, s.claims(nil)),
		"PS256":                                   s.signWith(jose.PS256, s.private, s.kid, s.claims(nil)),
		"kid missing":                             s.signWith(jose.RS256, s.private, "", s.claims(nil)),
		"kid unknown":                             s.signWith(jose.RS256, s.private, ambient.System().UUID(), s.claims(nil)),
		"kid of another account of the client":    s.signWith(jose.RS256, s.private, sister.kid, s.claims(nil)),
		"signed by another account of the client": s.signWith(jose.RS256, sister.private, sister.kid, s.claims(nil)),
		"kid of another client's account":         s.signWith(jose.RS256, stranger.private, stranger.kid, s.claims(nil)),
		"another client's assertion":              stranger.sign(nil),
		"claims exchanged under the signature": parts[0] + "." + strings.Split(s.sign(object{"scope": "data:write"}),
			".")[1] + "." + parts[2],
		"line breaks inside": good[:40] + "\n" + good[40:],
		"the JSON form of a JWS": `{"protected":"` + parts[0] + `","payload":"` + parts[1] +
			`","signature":"` + parts[2] + `"}`,
		"an unknown critical header": header(`{"alg":"RS256","kid":"`+s.kid+`","crit":["x"],"x":1}`) + "." +
			parts[1] + "." + parts[2],
		"an empty list of critical headers": s.signUnder(`{"alg":"RS256","kid":"` + s.kid + `","crit":[]}`),
		"iss of another client":             s.sign(object{"iss": stranger.app.ID}),
		"iss missing":                       s.sign(object{"iss": nil}),
		"sub another account":               s.sign(object{"sub": sister.account}),
		"sub missing":                       s.sign(object{"sub": nil}),
		"aud missing":                       s.sign(object{"aud": nil}),
		"aud an empty array":                s.sign(object{"aud": []string{}}),
		"aud the issuer":                    s.sign(object{"aud": w.Issuer}),
		"aud with a slash behind":           s.sign(object{"aud": w.Issuer + tokenPath + "/"}),
		"aud an array with a second member": s.sign(object{"aud": []string{w.Issuer + tokenPath,
			"https://api.example.test"}}),
		"aud an array with the same member twice": s.sign(object{"aud": []string{w.Issuer + tokenPath,
			w.Issuer + tokenPath}}),
		"aud from nobody's list":             s.sign(object{"aud": "https://api.example.test/token"}),
		"exp missing":                        s.sign(object{"exp": nil}),
		"exp a string":                       s.sign(object{"exp": fmt.Sprint(now + 60)}),
		"exp in capitals":                    s.sign(object{"exp": nil, "EXP": now + 60}),
		"exp 31 s ago":                       s.sign(object{"exp": now - 31}),
		"exp 5 minutes and 10 s from now":    s.sign(object{"exp": now + 310}),
		"exp far beyond what a number holds": s.sign(object{"exp": 1e300}),
		"iat in the future":                  s.sign(object{"iat": now + 40}),
		"nbf in the future":                  s.sign(object{"nbf": now + 40}),
		"scope missing":                      s.sign(object{"scope": nil}),
		"scope empty":                        s.sign(object{"scope": []string{}}),
		"scope an object":                    s.sign(object{"scope": object{"data:read": true}}),
		"scope with a name that is two":      s.sign(object{"scope": []string{"data:read", "data:write user:read"}}),
		"jti empty":                          s.sign(object{"jti": ""}),
		"jti a number":                       s.sign(object{"jti": 7}),
		"jti of 256 characters":              s.sign(object{"jti": strings.Repeat("j", 256)}),
		"an assertion of more than 8 KiB":    s.sign(object{"filler": strings.Repeat("x", 9000)}),
		"exp twice": s.signRaw(`{"iss":"` + s.app.ID + `","sub":"` + s.account + `","aud":"` +
			w.Issuer + tokenPath + `","scope":["data:read"],"exp":` + fmt.Sprint(now+60) + `,"exp":` + fmt.Sprint(now+60) + `}`),
		"claims that are no object": s.signWith(jose.RS256, s.private, s.kid, []string{"iss"}),
	}
	if got := s.exchange(s.signUnder(`{"alg":"RS256","kid":"` + s.kid + `"}`)); got.Status != http.StatusOK {
		t.Errorf("an assertion that the others are variations of: %d %s", got.Status, got.Body)
	}
	for name, assertion := range cases {
		t.Run(name, func(t *testing.T) {
			w.refused(s.exchange(assertion), http.StatusBadRequest, "invalid_grant")
		})
	}
	if got := s.exchange(good); got.Status != http.StatusOK {
		t.Errorf("after all of it, the good assertion: %d %s", got.Status, got.Body)
	}
	if got := s.post(tokenPath, stranger.app, exchangeForm(good)); got.Status != http.StatusBadRequest {
		t.Errorf("the good assertion in another client's hands: %d %s", got.Status, got.Body)
	}
}

// Rules: TOKEN-27, EXCHANGE-7
func TestStatesThatRefuseAnAssertion(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	for name, c := range map[string]struct {
		end    func(signer)
		mend   func(signer) // nil: it can't be mended
		detail string
	}{
		"key disabled": {
			end:    func(s signer) { w.setStatus(a, s.account+"/keys/"+s.kid, "DISABLED") },
			mend:   func(s signer) { w.setStatus(a, s.account+"/keys/"+s.kid, "ENABLED") },
			detail: "The assertion is invalid.",
		},
		"key deleted": {
			end: func(s signer) {
				w.expect(http.StatusNoContent, "DELETE", accountsPath+"/"+s.account+"/keys/"+s.kid, a.Token, "")
			},
			detail: "The assertion is invalid.",
		},
		"account disabled": {
			end:    func(s signer) { w.setStatus(a, s.account, "DISABLED") },
			mend:   func(s signer) { w.setStatus(a, s.account, "ENABLED") },
			detail: "The service account is not in an enabled state.",
		},
		"account deleted": {
			end:    func(s signer) { w.expect(http.StatusNoContent, "DELETE", accountsPath+"/"+s.account, a.Token, "") },
			detail: "The assertion is invalid.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := w.signer(a, strings.ReplaceAll(name, " ", "-"))
			live := s.token()
			w.wait(time.Second) // tokens tell no more than the second of their issue
			c.end(s)
			if w.works(live) {
				t.Error("a token from before still works")
			}
			got := s.exchange(s.sign(nil))
			w.refused(got, http.StatusBadRequest, "invalid_grant")
			if text := got.JSON(t)["error_description"]; text != c.detail {
				t.Errorf("description %q, want %q", text, c.detail)
			}
			if c.mend != nil {
				c.mend(s)
				if !w.works(s.token()) {
					t.Error("after mending, a new token does not work")
				}
				if w.works(live) {
					t.Error("after mending, a token from before works again")
				}
			}
		})
	}
}

// Rule: EXCHANGE-7
func TestADisabledKeyLeavesTheOtherKeysTokensAlone(t *testing.T) {
	w := newWorld(t, settings{})
	first := w.signer(w.app(apps.Registration{}), "robot")
	second := w.key(first.app, first.account)
	ended, kept := first.token(), second.token()
	w.setStatus(first.app, first.account+"/keys/"+first.kid, "DISABLED")
	if w.works(ended) || !w.works(kept) {
		t.Errorf("the disabled key's token works: %v, the other's: %v; want false, true", w.works(ended), w.works(kept))
	}
}

// Rule: ACCOUNT-6
func TestAnAccountIsDeactivatedWhenItIsNotUsedForAYear(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	const year = 365 * 24 * time.Hour
	status := func() any {
		return w.expect(http.StatusOK, "GET", accountsPath+"/"+s.account, w.twoLegged(s.app), "").JSON(t)["status"]
	}
	w.wait(year - time.Hour)
	s.token() // pushes the expiry
	w.wait(year - time.Hour)
	if got := status(); got != "ENABLED" {
		t.Fatalf("an hour before the year is over: %v", got)
	}
	w.wait(2 * time.Hour)
	w.refused(s.exchange(s.sign(nil)), http.StatusBadRequest, "invalid_grant")
	if got := status(); got != "DEACTIVATED" {
		t.Fatalf("before the clean-up ran: %v", got)
	}
	if n, err := w.Accounts.Sweep(t.Context(), 100); err != nil || n != 1 {
		t.Fatalf("clean-up: %d, %v", n, err)
	}
	stored, err := w.Store.FindServiceAccount(t.Context(), s.account)
	if err != nil || stored.Status != storage.ServiceAccountDeactivated {
		t.Fatalf("after the clean-up: %v, %v", stored.Status, err)
	}
	s.app.Token = w.twoLegged(s.app)
	w.setStatus(s.app, s.account, "ENABLED")
	s.token()
	w.wait(year - time.Hour)
	if got := status(); got != "ENABLED" {
		t.Errorf("revived and within a new year: %v", got)
	}
}

// Rule: EXCHANGE-5
func TestScopesOfTheExchange(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	for _, c := range []struct {
		name    string
		claimed []string
		asked   string
		want    string // empty: invalid_scope
	}{
		{"omitted gives the assertion's", []string{"data:read", "data:write"}, "", "data:read data:write"},
		{"a subset gives the subset", []string{"data:read", "data:write"}, "data:write", "data:write"},
		{"a resource of what may be read", []string{"data:read"}, "data:read:urn:portico:x", "data:read:urn:portico:x"},
		{"wider than the assertion", []string{"data:read"}, "data:read data:write", ""},
		{"wider than the client, in the assertion", []string{"data:read", "data:create"}, "", ""},
		{"wider than the client, in the request", []string{"data:read", "data:create"}, "data:create", ""},
		{"openid", []string{"openid"}, "", ""},
		{"of a person", []string{"user:read"}, "", ""},
		{"of an administrator", []string{"account:read"}, "", ""},
		{"of an application", []string{"application:service_account:read"}, "", ""},
		{"in other case", []string{"Data:Read"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var more []string
			if c.asked != "" {
				more = []string{"scope", c.asked}
			}
			got := s.exchange(s.sign(object{"scope": c.claimed}), more...)
			if c.want == "" {
				w.refused(got, http.StatusBadRequest, "invalid_scope")
				return
			}
			token, _ := got.JSON(t)["access_token"].(string)
			claims, err := w.Keys.VerifyAccess(t.Context(), token)
			if err != nil || claims.Scope != c.want {
				t.Errorf("scope %q, %v, want %q; %s", claims.Scope, err, c.want, got.Body)
			}
		})
	}
}

// Rule: EXCHANGE-6
func TestErrorsOfTheExchangeRowByRow(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	resting, asleep := w.signer(s.app, "resting"), w.signer(w.app(apps.Registration{}), "asleep")
	w.setStatus(s.app, resting.account, "DISABLED")
	w.sleep(asleep)
	wrong, nobody := s.app, app{}
	wrong.Secret = "wrong"
	native := w.app(apps.Registration{Type: storage.ClientNative, RedirectURIs: []string{"http://127.0.0.1/callback"}})
	inBody := func(id, secret string) []string { return []string{"client_id", id, "client_secret", secret} }
	good := func(more ...string) url.Values { return exchangeForm(s.sign(nil), more...) }
	without := func(name string) url.Values {
		f := good()
		f.Del(name)
		return f
	}
	for _, c := range []struct {
		name   string
		app    app
		form   url.Values
		status int
		code   string
		twin   app // asks the same without the fault
		better url.Values
	}{
		{"grant_type missing", s.app, without("grant_type"), 400, "invalid_request", s.app, good()},
		{"grant_type empty", s.app, good("grant_type", ""), 400, "invalid_request", s.app, good()},
		{"grant_type not valid", s.app, good("grant_type", jwtBearer+"x"), 400, "invalid_request", s.app, good()},
		{"grant_type twice", s.app, url.Values{"grant_type": {jwtBearer, jwtBearer}, "assertion": {s.sign(nil)}}, 400,
			"invalid_request", s.app, good()},
		{"assertion missing", s.app, without("assertion"), 400, "invalid_request", s.app, good()},
		{"assertion empty", s.app, good("assertion", ""), 400, "invalid_request", s.app, good()},
		{"assertion twice", s.app, url.Values{"grant_type": {jwtBearer}, "assertion": {s.sign(nil), s.sign(nil)}}, 400,
			"invalid_request", s.app, good()},
		{"service account disabled", s.app, exchangeForm(resting.sign(nil)), 400, "invalid_grant", s.app, good()},
		{"service account deactivated", asleep.app, exchangeForm(asleep.sign(nil)), 400, "invalid_grant", s.app, good()},
		{"assertion invalid", s.app, exchangeForm("x.y.z"), 400, "invalid_grant", s.app, good()},
		{"assertion of another app", asleep.app, good(), 400, "invalid_grant", s.app, good()},
		{"client credentials invalid", wrong, good(), 401, "invalid_credentials", s.app, good()},
		{"client credentials invalid, in the body", nobody, good(inBody(s.app.ID, "wrong")...), 401, "invalid_credentials",
			nobody, good(inBody(s.app.ID, s.app.Secret)...)},
		{"client credentials missing", nobody, good(), 401, "invalid_credentials", s.app, good()},
		{"a client that does not exist", nobody, good(inBody("nobody", "x")...), 401, "invalid_credentials", nobody,
			good(inBody(s.app.ID, s.app.Secret)...)},
		{"a public client", nobody, good("client_id", native.ID), 401, "invalid_credentials", nobody,
			good(inBody(s.app.ID, s.app.Secret)...)},
		{"credentials at both places", s.app, good(inBody(s.app.ID, s.app.Secret)...), 400, "invalid_request", s.app, good()},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.post(tokenPath, c.app, c.form)
			w.refused(got, c.status, c.code)
			if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", got.Header)
			}
			if better := w.post(tokenPath, c.twin, c.better); better.Status != http.StatusOK {
				t.Errorf("without the fault: %d %s", better.Status, better.Body)
			}
		})
	}
	t.Run("a failure of ours has no body", func(t *testing.T) {
		w := newWorld(t, settings{})
		s := w.signer(w.app(apps.Registration{}), "robot")
		w.must(w.Store.Close())
		got := s.exchange(s.sign(nil))
		if got.Status < 500 || got.Status == 500 && len(got.Body) != 0 {
			t.Errorf("%d %q", got.Status, got.Body)
		}
	})
}

// sleep lets an account expire unused, while the clock stays where it is.
func (w *world) sleep(s signer) {
	w.Helper()
	seen, err := w.Store.FindServiceAccount(w.Context(), s.account)
	w.must(err)
	w.must(w.Store.SetServiceAccountStatus(w.Context(), w.operator(), seen, seen.Status, w.ambient.Now()))
}

// Rules: EXCHANGE-4, SERVER-53
func TestAReplayedAssertionIsRefused(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	again := s.sign(object{"jti": "one"})
	if got := s.exchange(again, "scope", "data:write"); got.Status != http.StatusBadRequest {
		t.Fatalf("a scope beyond: %d", got.Status)
	}
	if got := s.exchange(again); got.Status != http.StatusOK {
		t.Fatalf("corrected, it is still good: %d %s", got.Status, got.Body)
	}
	w.refused(s.exchange(again), http.StatusBadRequest, "invalid_grant")
	w.refused(s.exchange(s.sign(object{"jti": "one", "nbf": 1})), http.StatusBadRequest, "invalid_grant")
	other := w.signer(w.app(apps.Registration{}), "robot")
	if got := other.exchange(other.sign(object{"jti": "one"})); got.Status != http.StatusOK {
		t.Errorf("another client's same jti: %d %s", got.Status, got.Body)
	}
	if got := s.exchange(s.sign(nil)); got.Status != http.StatusOK {
		t.Errorf("without a jti: %d %s", got.Status, got.Body)
	}
	w.wait(time.Hour)
	if n, err := w.Accounts.Sweep(t.Context(), 100); err != nil || n != 0 {
		t.Errorf("the clean-up forgot %d jtis, %v, which are good again should the clock be put right", n, err)
	}
	w.wait(2 * time.Hour)
	if n, err := w.Accounts.Sweep(t.Context(), 100); err != nil || n != 2 {
		t.Errorf("the clean-up forgot %d jtis, %v; want 2", n, err)
	}
}

// Rule: EXCHANGE-4
func TestOfManyReplaysAtOnceOneWins(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		first := newWorld(t, settings{database: database})
		second := newWorld(t, settings{beside: first})
		s := first.signer(first.app(apps.Registration{}), "robot")
		form := exchangeForm(s.sign(object{"jti": "one"}))
		got := atOnce(t, 50, func(i int) *http.Request {
			return []*world{first, second}[i%2].formRequest(tokenPath, s.app, form)
		})
		if diff := cmp.Diff(map[int]int{200: 1, 400: 49}, got); diff != "" {
			t.Errorf("statuses (-want +got):\n%s", diff)
		}
	})
}

// Rule: EXCHANGE-8
func TestCausesOfRefusalAreLoggedAndAudited(t *testing.T) {
	w := newWorld(t, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	s.exchange(s.sign(object{"exp": nil}))
	s.exchange(s.sign(object{"exp": nil}))
	s.exchange("x.y.z")
	for _, cause := range []string{"exp is missing", "it is not a JWT signed with an algorithm that is taken here"} {
		if !strings.Contains(w.Logged.String(), `cause="`+cause+`"`) {
			t.Errorf("the log lacks %q", cause)
		}
	}
	w.must(w.Accounts.Close())
	events, _, err := w.Store.ListAudit(t.Context(), storage.AuditFilter{Kind: "assertion.refused", Subject: s.app.ID},
		storage.PageRequest{})
	w.must(err)
	var details []string
	for _, e := range events {
		details = append(details, e.Detail)
	}
	slices.Sort(details)
	want := []string{
		`{"cause":"exp is missing","count":2,"service_account_id":"` + s.account + `"}`,
		`{"cause":"it is not a JWT signed with an algorithm that is taken here","count":1,"service_account_id":""}`,
	}
	if diff := cmp.Diff(want, details); diff != "" {
		t.Errorf("audit trail (-want +got):\n%s", diff)
	}
}
