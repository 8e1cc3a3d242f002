package provider_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// fullPerson adds a person of whom every field is known.
func (w *world) fullPerson() storage.User {
	w.Helper()
	var all []people.Setting
	for _, text := range []string{
		"given_name=Demo", "family_name=Person", "middle_name=Middle", "nickname=Nick", "website=https://demo.example.test/",
		"gender=other", "birthdate=1999-12-31", "zoneinfo=Europe/Paris", "profile=https://app.example.test/people/demo",
		"picture=https://app.example.test/demo.png", "locale=en-US", "country_code=US",
		"address.street_address=1 Main Street\nFloor 2", "address.locality=Springfield", "address.region=Oregon",
		"address.postal_code=97477", "address.country=USA", "phone_number=+15415550100", "phone_number_verified=true",
		"ldap_domain=corp.example.test", "job_title=Engineer", "industry=Construction", "industry_code=23",
		"about_me=Draws.", "language=en", "company=Example Company", "eidm_guid=GUID-1", "opt_in=true",
		"thumbnails.sizeX64=https://app.example.test/64.png",
	} {
		setting, err := people.ParseSetting(text)
		w.must(err)
		all = append(all, setting)
	}
	user, err := w.People.Create(w.Context(), w.act(), people.Newcomer{
		Email: somebody, Name: "Demo Person", Username: "demo", Password: goodPassword, EmailVerified: true, Settings: all,
	})
	w.must(err)
	return user
}

// Rules: INFO-3, INFO-5, INFO-7
func TestUserInfoTellsWhatTheScopesStandFor(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.fullPerson()
	a := w.app(apps.Registration{Scopes: scope.All()})
	b := w.browser()
	b.through(b.get(w.URL+"/login"), somebody)
	user, err := w.Store.FindUser(t.Context(), user.ID) // with the sign-in's time
	w.must(err)
	profile := map[string]any{
		"name": "Demo Person", "given_name": "Demo", "family_name": "Person", "preferred_username": "demo",
		"profile": "https://app.example.test/people/demo", "picture": "https://app.example.test/demo.png",
		"middle_name": "Middle", "nickname": "Nick", "website": "https://demo.example.test/", "gender": "other",
		"birthdate": "1999-12-31", "zoneinfo": "Europe/Paris", "locale": "en-US",
		"updated_at": float64(user.UpdatedAt.Unix()),
	}
	email := map[string]any{"email": somebody, "email_verified": true}
	address := map[string]any{"address": map[string]any{
		"street_address": `1 Main Street\nFloor 2`, "locality": "Springfield", "region": "Oregon",
		"postal_code": "97477", "country": "USA",
	}}
	phone := map[string]any{"phone_number": "+15415550100", "phone_number_verified": true}
	platform := map[string]any{
		"is_2fa_enabled": false, "country_code": "US", "ldap_enabled": true, "ldap_domain": "corp.example.test",
		"job_title": "Engineer", "industry": "Construction", "industry_code": "23", "about_me": "Draws.",
		"language": "en", "company": "Example Company", "eidm_guid": "GUID-1", "opt_in": true,
		"created_date": unix(user.CreatedAt), "last_login_date": unix(user.LastSignInAt),
		"social_userinfo_list": []any{}, "thumbnails": map[string]any{"sizeX64": "https://app.example.test/64.png"},
	}
	cases := map[string]struct {
		scopes string
		want   []map[string]any
	}{
		"openid alone": {"openid", nil},
		"profile":      {"openid profile", []map[string]any{profile}},
		"email":        {"openid email", []map[string]any{email}},
		"address":      {"openid address", []map[string]any{address}},
		"phone":        {"openid phone", []map[string]any{phone}},
		"user:read": {"openid user:read",
			[]map[string]any{{"name": "Demo Person", "preferred_username": "demo", "locale": "en-US"}}},
		"user-profile:read":  {"openid user-profile:read", []map[string]any{profile, email, address, phone, platform}},
		"scopes of data":     {"openid data:read", nil},
		"profile and email":  {"openid email profile", []map[string]any{profile, email}},
		"what is not openid": {"openid offline_access", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			want := map[string]any{"sub": user.ID}
			for _, some := range c.want {
				for claim, value := range some {
					want[claim] = value
				}
			}
			got := w.userInfo(b.tokens(a, somebody, "scope", c.scopes)["access_token"].(string))
			if diff := cmp.Diff(want, got.JSON(t)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("headers %v", got.Header)
			}
		})
	}
}

func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

// Rules: INFO-4, INFO-6
func TestUserInfoLeavesOutWhatIsUnknown(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	a := w.app(apps.Registration{Scopes: scope.All()})
	body := w.browser().tokens(a, somebody, "scope", "openid profile email address phone user-profile:read")
	got := w.userInfo(body["access_token"].(string)).JSON(t)
	want := map[string]any{
		"sub": user.ID, "name": "Demo Person", "preferred_username": somebody, "email": somebody, "email_verified": true,
		"is_2fa_enabled": false, "ldap_enabled": false, "ldap_domain": nil, "eidm_guid": user.ID, "opt_in": false,
		"social_userinfo_list": []any{},
	}
	now := w.ambient.Now()
	if at, ok := got["updated_at"].(float64); !ok || at > float64(now.Unix()) ||
		at < float64(now.Add(-time.Minute).Unix()) {
		t.Errorf("updated_at is %v", got["updated_at"])
	}
	for _, name := range []string{"updated_at", "created_date", "last_login_date"} {
		delete(got, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: INFO-8
func TestUserInfoByPOST(t *testing.T) {
	w := newWorld(t, settings{})
	user := w.person(somebody)
	a := w.app(apps.Registration{Scopes: []string{"openid", "data:read"}})
	b := w.browser()
	token := b.tokens(a, somebody)["access_token"].(string)
	lacking := b.tokens(a, somebody, "scope", "data:read")["access_token"].(string)
	inForm := form("access_token", token).Encode()
	header := "Bearer " + token
	cases := []struct {
		name, body, contentType, authorization string
		status                                 int
		code                                   string
	}{
		{"the token in the header, no body", "", "", header, 200, ""},
		{"the token in the form", inForm, formType, "", 200, ""},
		{"the token in the header beside an empty form", "", formType, header, 200, ""},
		{"the token in both", inForm, formType, header, 400, "invalid_request"},
		{"the token twice in the form", inForm + "&" + inForm, formType, "", 400, "invalid_request"},
		{"the token in a body that is no form", `{"access_token":"` + token + `"}`, "application/json",
			"", 401, "invalid_token"},
		{"no token", "", formType, "", 401, "invalid_token"},
		{"a token without openid", url.Values{"access_token": {lacking}}.Encode(), formType, "", 403, "insufficient_scope"},
		{"more than 64 KiB", "x=" + strings.Repeat("a", 64<<10), formType, "", 413, "invalid_request"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var headers []string
			if c.contentType != "" {
				headers = append(headers, "Content-Type", c.contentType)
			}
			if c.authorization != "" {
				headers = append(headers, "Authorization", c.authorization)
			}
			got := w.send(http.MethodPost, "/userinfo", c.body, headers...)
			if c.code != "" {
				w.refused(got, c.status, c.code)
				return
			}
			if got.Status != http.StatusOK || got.JSON(t)["sub"] != user.ID {
				t.Errorf("got %d %s", got.Status, got.Body)
			}
		})
	}
}

// Rule: AUTH-28
func TestClaimsParameterGivesNamedClaimsOfRegisteredScopes(t *testing.T) {
	w := newWorld(t, settings{})
	w.fullPerson()
	a := w.app(apps.Registration{Scopes: []string{"openid", "profile", "email"}})
	narrow := w.app(apps.Registration{Scopes: []string{"openid"}})
	const claims = `{"userinfo":{"given_name":{"essential":true},"phone_number":null,"pigeon":null},"id_token":{"email":null,"locale":{"value":"de"}}}`

	body := w.browser().tokens(a, somebody, "claims", claims)
	info := w.userInfo(body["access_token"].(string)).JSON(t)
	id := payload(t, body["id_token"])
	if info["given_name"] != "Demo" || len(info) != 2 {
		t.Errorf("user info has %v, want sub and given_name", info)
	}
	if id["email"] != somebody || id["locale"] != "en-US" || id["given_name"] != nil {
		t.Errorf("the ID token has %v", id)
	}
	body = w.browser().tokens(narrow, somebody, "claims", claims)
	if info := w.userInfo(body["access_token"].(string)).JSON(t); len(info) != 1 {
		t.Errorf("a client without the scope profile learns %v", info)
	}
	if id := payload(t, body["id_token"]); id["email"] != nil || id["locale"] != nil {
		t.Errorf("a client without the scope email learns %v", id)
	}
}

// Rule: AUTH-28
func TestMalformedClaimsParametersAreRefused(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{})
	for _, bad := range []string{"{", "[]", "null", `"x"`, `{"userinfo":[]}`, `{"id_token":"email"}`} {
		if v := w.browser().get(w.authorizeURL(a, "claims", bad)); v.Away == nil ||
			v.Away.Query().Get("error") != "invalid_request" {
			t.Errorf("%s: sent to %v", bad, v.Away)
		}
	}
	for _, good := range []string{"{}", `{"userinfo":null}`, `{"userinfo":{},"pigeon":1}`} {
		if v := w.browser().get(w.authorizeURL(a, "claims", good)); v.Away != nil {
			t.Errorf("%s: sent to %v", good, v.Away)
		}
	}
}

// Rule: AUTH-28
func TestConsentIsAskedForClaimsThatAreNamed(t *testing.T) {
	w := newWorld(t, settings{})
	w.fullPerson()
	a := w.app(apps.Registration{Scopes: []string{"openid", "email"}})
	b := w.browser()
	b.code(a, somebody)
	if v := b.get(w.authorizeURL(a, "claims", `{"userinfo":{"email":null}}`)); v.Away != nil || v.At.Path != "/consent" {
		t.Errorf("sent to %v", v.Away)
	}
	if v := b.get(w.authorizeURL(a, "claims", `{"userinfo":{"pigeon":null}}`)); v.Away == nil {
		t.Errorf("asked for a claim that does not exist on %s", v.At)
	}
}
