package provider_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// The page that a person answers may be older than the client's registration.
func TestConsentCoversWhatThePageShowedAndNoMore(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"openid"}})
	b := w.browser()
	v := b.submit(b.get(w.authorizeURL(a, "scope", "openid data:write data:create")), "login-form",
		form("username", somebody, "password", goodPassword))
	if v.At.Path != "/consent" || strings.Contains(string(v.Body), "data:write") {
		t.Fatalf("on %s:\n%s", v.At, v.Body)
	}
	wide := []string{"openid", "data:write", "data:create"}
	_, err := w.Apps.Update(t.Context(), w.act(), a.ID, apps.Change{Scopes: &wide})
	w.must(err)
	w.wait(clientLag)
	v = b.submit(v, "consent-form", form("decision", "allow"))
	if v.Away != nil || v.At.Path != "/consent" || !strings.Contains(string(v.Body), "data:write") {
		t.Fatalf("the wider request was not asked about: sent to %v from %s", v.Away, v.At)
	}
	v = b.submit(v, "consent-form", form("decision", "allow"))
	if v.Away == nil || v.Away.Query().Get("code") == "" {
		t.Errorf("after both answers: %v", v.Away)
	}
}

// Rule: AUTH-10
func TestConsentFormIsBoundToRequestAndSession(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{})
		b := w.browser()
		v := b.submit(b.get(w.authorizeURL(a)), "login-form", form("username", somebody, "password", goodPassword))
		for name, change := range map[string]url.Values{
			"more scopes": form("decision", "allow", "shown", "openid email data:read"),
			"no seal":     form("decision", "allow", "seal", ""),
			"no answer":   form(), "another answer": form("decision", "perhaps"),
		} {
			t.Run(name, func(t *testing.T) {
				if got := b.submit(v, "consent-form", change); got.Status != http.StatusBadRequest {
					t.Errorf("status %d at %s", got.Status, got.At)
				}
			})
		}
		if v = b.submit(v, "consent-form", form("decision", "allow")); v.Away == nil {
			t.Errorf("as it was shown: %s", v.At)
		}
	})
}

// Rules: AUTH-30, PAR-2
func TestOneAnswerPerParkedRequest(t *testing.T) {
	eachEngine(t, func(t *testing.T, database string) {
		w := newWorld(t, settings{database: database})
		w.person(somebody)
		a := w.app(apps.Registration{})
		b := w.browser()
		b.through(b.get(w.URL+"/login"), somebody)
		b.code(a, somebody) // the consent is remembered
		parked := b.get(w.authorizeURL(a, "prompt", "consent")).At.Query().Get("request")
		resume := w.URL + "/authentication/v2/authorize/resume?request=" + url.QueryEscape(parked)
		consent := b.get(resume)
		_, fields := consent.form(b, "consent-form")
		fields.Set("decision", "allow")
		decided, err := http.NewRequest(http.MethodPost, consent.At.String(), strings.NewReader(fields.Encode()))
		w.must(err)
		decided.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w.do(b.client, decided) // not followed: the decision stands, the answer is still to be fetched

		codes := make(chan string, 20)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				r, err := http.NewRequest(http.MethodGet, resume, nil)
				if err != nil {
					return
				}
				response, err := b.client.Do(r)
				if err != nil {
					return
				}
				defer response.Body.Close()
				if to, err := response.Location(); err == nil && to.Query().Get("code") != "" {
					codes <- to.Query().Get("code")
				}
			})
		}
		all.Wait()
		if len(codes) != 1 {
			t.Errorf("%d codes came of one decision", len(codes))
		}
	})
}

// Rule: REFRESH-10
func TestACodeDoesNotOutliveSigningOutEverywhere(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	code := b.code(a, somebody)
	w.must(w.Store.EndSessions(t.Context(), w.act(), user.ID, ""))
	w.refused(b.redeem(a, code), 400, "invalid_grant")
}

// Rule: AUTH-28
func TestClaimsParameterNeverGivesMoreThanTheRegistration(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"openid", "email"}})
	const both = `{"userinfo":{"email":null},"id_token":{"email":null}}`
	b := w.browser()
	first := b.tokens(a, somebody, "claims", both)
	if payload(t, first["id_token"])["email"] != somebody ||
		w.userInfo(first["access_token"].(string)).JSON(t)["email"] != somebody {
		t.Fatal("a registered claim was not given")
	}
	less := []string{"openid"}
	_, err := w.Apps.Update(t.Context(), w.act(), a.ID, apps.Change{Scopes: &less})
	w.must(err)
	w.wait(clientLag)
	second := w.refreshWith(a, first).JSON(t)
	if payload(t, second["id_token"])["email"] != nil ||
		w.userInfo(second["access_token"].(string)).JSON(t)["email"] != nil {
		t.Error("the claim came although the client lost its scope")
	}
}

// Rule: IDTOKEN-7
func TestClaimsParameterCanInsist(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	b.code(a, somebody)
	insist := func(claims string) url.Values {
		v := b.get(w.authorizeURL(a, "prompt", "none", "claims", claims))
		if v.Away == nil {
			t.Fatalf("stayed on %s", v.At)
		}
		return v.Away.Query()
	}
	if q := insist(`{"id_token":{"sub":{"value":"SOMEBODYELSE"}}}`); q.Get("error") != "login_required" {
		t.Errorf("another sub: %v", q)
	}
	if q := insist(`{"id_token":{"sub":{"values":["SOMEBODYELSE","OR-SOMEBODY"]}}}`); q.Get("error") != "login_required" {
		t.Errorf("one of others: %v", q)
	}
	if q := insist(`{"id_token":{"sub":{"values":["SOMEBODYELSE","` + user.ID + `"]}}}`); q.Get("code") == "" {
		t.Errorf("one of two: %v", q)
	}
	if q := insist(`{"id_token":{"sub":{"value":"` + user.ID + `"}}}`); q.Get("code") == "" {
		t.Errorf("their sub: %v", q)
	}
	if q := insist(`{"id_token":{"acr":{"essential":true,"values":["urn:portico:acr:9"]}}}`); q.Get("error") != "unmet_authentication_requirements" {
		t.Errorf("an acr that can't be had: %v", q)
	}
	if q := insist(`{"id_token":{"acr":{"essential":true,"values":["urn:portico:acr:1"]}}}`); q.Get("code") == "" {
		t.Errorf("the acr of a password: %v", q)
	}
	if q := insist(`{"id_token":{"acr":{"values":["urn:portico:acr:9"]}}}`); q.Get("code") == "" {
		t.Errorf("a wish is no demand: %v", q)
	}
}

func TestTheTokenRequestCannotChangeTheIDToken(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	body := b.redeem(a, b.code(a, somebody, "scope", "openid user-profile:read"), "response_type", "id_token").JSON(t)
	if claims := payload(t, body["id_token"]); claims["eidm_guid"] != nil || claims["name"] == nil {
		t.Errorf("claims %v", claims)
	}
}

func TestNamedClaimsComeInAnIDTokenAlone(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	b := w.browser()
	v := b.through(b.get(w.authorizeURL(a, "response_type", "id_token", "nonce", "n", "claims",
		`{"id_token":{"email":null}}`)), somebody)
	if claims := payload(t, v.parameters(t).Get("id_token")); claims["email"] != somebody {
		t.Errorf("claims %v", claims)
	}
}

func TestOnlyKnownParametersAreParkedAndNotTooMany(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	v := w.browser().get(w.authorizeURL(a, "junk", strings.Repeat("x", 4000)))
	request, err := w.Store.FindLoginRequest(t.Context(), v.At.Query().Get("request"), w.ambient.Now())
	w.must(err)
	if strings.Contains(request.Params, "junk") || !strings.Contains(request.Params, "some-state") {
		t.Errorf("kept: %s", request.Params)
	}
	long := w.browser().get(w.authorizeURL(a, "nonce", strings.Repeat("x", 9000)))
	if long.Away == nil || long.Away.Query().Get("error") != "invalid_request" {
		t.Errorf("9 kB: %v at %s", long.Away, long.At)
	}
}

func TestParametersWithoutAValueCountAsNotSent(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{})
	to := w.authorizeURL(a) + "&request=&prompt=&nonce="
	b := w.browser()
	if v := b.through(b.get(to), somebody); v.Away == nil || v.Away.Query().Get("code") == "" {
		t.Errorf("at authorize: %v", v.Away)
	}
	spa := w.app(apps.Registration{Type: storage.ClientSPA})
	f := form("grant_type", "refresh_token", "refresh_token", "x", "client_secret", "")
	w.refused(w.token(spa, f), 400, "invalid_grant") // the client is proven: its token is what is wrong
	if v := w.browser().get(w.authorizeURL(a) + "&code_challenge="); v.Away == nil ||
		v.Away.Query().Get("error") != "invalid_request" {
		t.Errorf("an empty code_challenge: %v", v.Away)
	}
}

// Rule: AUTH-31
func TestNativeAppsOnThePersonsMachineAreAlwaysAskedAbout(t *testing.T) {
	w := newWorld(t, settings{})
	w.person(somebody)
	a := w.app(apps.Registration{Type: storage.ClientNative, RedirectURIs: []string{"http://127.0.0.1/cb"}})
	const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	pkce := []string{"code_challenge", challenge, "code_challenge_method", "S256"}
	b := w.browser()
	b.code(a, somebody, pkce...)
	if v := b.get(w.authorizeURL(a, pkce...)); v.Away != nil || v.At.Path != "/consent" {
		t.Errorf("the second time: %v", v.Away)
	}
	if v := b.get(w.authorizeURL(a, append(pkce, "prompt", "none")...)); v.Away == nil ||
		v.Away.Query().Get("error") != "consent_required" {
		t.Errorf("without a page: %v", v.Away)
	}
}
