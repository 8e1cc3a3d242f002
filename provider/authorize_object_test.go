package provider_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// requestObject is a compact JWS with the payload; without a signature it is of
// the algorithm none.
func requestObject(payload, signature string) string {
	header := `{"alg":"none"}`
	if signature != "" {
		header = `{"alg":"RS256","kid":"theirs"}`
	}
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(payload)) + "." + encode([]byte(signature))
}

// answered returns where the answer stands (query, fragment or form_post), the
// address that it goes to, and its parameters.
func (b *browser) answered(v visit) (mode, to string, fields url.Values) {
	b.Helper()
	switch {
	case v.Away == nil:
		to, fields = v.form(b, "form-post")
		return "form_post", to, fields
	case v.Away.Fragment != "":
		fields, err := url.ParseQuery(v.Away.EscapedFragment())
		b.must(err)
		return "fragment", strings.TrimSuffix(v.Away.String(), "#"+v.Away.EscapedFragment()), fields
	}
	return "query", strings.TrimSuffix(v.Away.String(), "?"+v.Away.RawQuery), v.Away.Query()
}

// Rule: AUTH-33
func TestARefusedRequestObjectSaysHowAndToWhichRequest(t *testing.T) {
	w := newWorld(t, settings{})
	const inside = `{"response_mode":"form_post","state":"inside","redirect_uri":"https://evil.example/cb","client_id":"else","nonce":"n","scope":"openid"}`
	for _, profile := range []string{storage.ProfileStandard, storage.ProfilePlatform} {
		a := w.app(apps.Registration{Profile: profile, Scopes: []string{"openid"}})
		cases := []struct {
			name        string
			pairs       []string
			mode, state string
		}{
			{"both inside", []string{"state", "", "request", requestObject(inside, "")}, "form_post", "inside"},
			{"both inside a signed one", []string{"state", "", "request", requestObject(inside, "signed")},
				"form_post", "inside"},
			{"both beside it as well", []string{"response_mode", "fragment", "request", requestObject(inside, "")},
				"fragment", "some-state"},
			{"the state beside it", []string{"request", requestObject(inside, "")}, "form_post", "some-state"},
			{"a mode that the type does not have", []string{"response_type", "code id_token", "nonce", "n", "request",
				requestObject(`{"response_mode":"query","state":"s"}`, ""), "state", ""}, "fragment", "s"},
			{"a mode that does not exist", []string{"request", requestObject(`{"response_mode":"pigeon"}`, "")},
				"query", "some-state"},
			{"neither", []string{"state", "", "request", requestObject(`{}`, "")}, "query", ""},
			{"two parts", []string{"state", "", "request", strings.TrimSuffix(requestObject(inside, ""), ".")}, "query", ""},
			{"encrypted", []string{"state", "", "request", requestObject(inside, "") + ".x.y"}, "query", ""},
			{"padded", []string{"state", "", "request",
				"e30." + base64.URLEncoding.EncodeToString([]byte(`{"state":"s" }`)) + "."}, "query", ""},
			{"spare bits", []string{"state", "", "request", "e30.e31."}, "query", ""},
			{"broken into lines", []string{"state", "", "request",
				"e30.\r\n" + strings.TrimPrefix(requestObject(inside, ""), "e30.")}, "query", ""},
			{"no JSON", []string{"state", "", "request", requestObject("state", "")}, "query", ""},
			{"no object", []string{"state", "", "request", requestObject(`["state"]`, "")}, "query", ""},
			{"a state that is no text", []string{"state", "", "request",
				requestObject(`{"state":1,"response_mode":"form_post"}`, "")}, "query", ""},
			{"two states", []string{"state", "", "request", requestObject(`{"state":"a","state":"b"}`, "")}, "query", ""},
			{"too long", []string{"state", "", "request", requestObject(`{"state":"`+strings.Repeat("s", 16<<10)+`"}`, "")},
				"query", ""},
		}
		for _, c := range cases {
			t.Run(profile+"/"+c.name, func(t *testing.T) {
				for _, method := range []string{http.MethodGet, http.MethodPost} {
					b := w.browser()
					mode, to, q := b.answered(b.asked(method, w.authorizeURL(a, c.pairs...)))
					if mode != c.mode || to != callback || q.Get("state") != c.state || q.Get("error") != "request_not_supported" ||
						q.Get("iss") != w.URL {
						t.Errorf("%s: to %s by %s: %v", method, to, mode, q)
					}
				}
			})
		}
	}
}

// asked sends the parameters of an authorize address by GET or by POST.
func (b *browser) asked(method, to string) visit {
	b.Helper()
	address, query, _ := strings.Cut(to, "?")
	if method == http.MethodGet {
		return b.get(to)
	}
	r, err := http.NewRequest(method, address, strings.NewReader(query))
	b.must(err)
	r.Header.Set("Content-Type", formType)
	return b.follow(r)
}
