package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Paths of the specification.
const (
	authorizePath  = "/authentication/v2/authorize"
	tokenPath      = "/authentication/v2/token"
	revokePath     = "/authentication/v2/revoke"
	introspectPath = "/authentication/v2/introspect"
	keysPath       = "/authentication/v2/keys"
	logoutPath     = "/authentication/v2/logout"
	userInfoPath   = "/userinfo"
	discoveryPath  = "/.well-known/openid-configuration"
)

const formType = "application/x-www-form-urlencoded"

// answer is what came back over HTTP.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// object returns the body as a JSON object.
func (a answer) object(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(a.Body), &v); err != nil {
		t.Fatalf("status %d, body %q: %v", a.Status, a.Body, err)
	}
	return v
}

// text returns a member of the body, "" when there is none.
func (a answer) text(name string) string {
	var v map[string]any
	_ = json.Unmarshal([]byte(a.Body), &v)
	s, _ := v[name].(string)
	return s
}

// is reports whether the answer is the OAuth error.
func (a answer) is(status int, code string) bool {
	return a.Status == status && a.text("error") == code
}

// try sends a request and returns the error, unlike do.
func try(c *http.Client, r *http.Request) (answer, error) {
	response, err := c.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body)}, err
}

// post prepares a form for an endpoint; public clients name themselves in it.
func (s *site) post(path string, c client, f url.Values) *http.Request {
	if c.Secret == "" && c.ID != "" {
		f.Set("client_id", c.ID)
	}
	r, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(f.Encode()))
	s.must(err)
	r.Header.Set("Content-Type", formType)
	if c.Secret != "" {
		r.SetBasicAuth(c.ID, c.Secret)
	}
	return r
}

// send posts a form to an endpoint.
func (s *site) send(path string, c client, pairs ...string) answer {
	got, err := try(s.plain, s.post(path, c, form(pairs...)))
	if err != nil {
		s.Errorf("%s: %v", path, err)
	}
	return got
}

// token asks the token endpoint; pairs are its form.
func (s *site) token(c client, pairs ...string) answer { return s.send(tokenPath, c, pairs...) }

// redeem exchanges a code.
func (s *site) redeem(c client, code string) answer {
	return s.token(c, "grant_type", "authorization_code", "code", code, "redirect_uri", c.RedirectURIs[0])
}

// refresh exchanges a refresh token.
func (s *site) refresh(c client, token string) answer {
	return s.token(c, "grant_type", "refresh_token", "refresh_token", token)
}

// userInfo asks about the token's user.
func (s *site) userInfo(token string) answer {
	r, err := http.NewRequest(http.MethodGet, s.URL+userInfoPath, nil)
	s.must(err)
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := try(s.plain, r)
	if err != nil {
		s.Errorf("user info: %v", err)
	}
	return got
}

// claimsOf reads the claims of a JWT without checking it.
func claimsOf(t testing.TB, token any) map[string]any {
	t.Helper()
	text, _ := token.(string)
	var claims map[string]any
	if err := json.Unmarshal(jwtPart(t, text, 1), &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}
