package provider_test

import (
	"net/http"
	"net/url"
	"strings"
)

// userInfo asks user info with a token in the header.
func (w *world) userInfo(token string) answer {
	w.Helper()
	r, err := http.NewRequest(http.MethodGet, w.URL+"/userinfo", nil)
	w.must(err)
	r.Header.Set("Authorization", "Bearer "+token)
	return w.do(plain, r)
}

// refreshWith uses the refresh token of a token answer.
func (w *world) refreshWith(a app, body map[string]any, pairs ...string) answer {
	w.Helper()
	f := form("grant_type", "refresh_token", "refresh_token", body["refresh_token"].(string))
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Set(pairs[i], pairs[i+1])
	}
	return w.token(a, f)
}

// introspect asks about a token in the name of a client.
func (w *world) introspect(a app, token string) answer {
	w.Helper()
	return w.asClient("/authentication/v2/introspect", a, form("token", token))
}

// revoke revokes a token in the name of a client.
func (w *world) revoke(a app, token, hint string) answer {
	w.Helper()
	return w.asClient("/authentication/v2/revoke", a, form("token", token, "token_type_hint", hint))
}

func (w *world) asClient(path string, a app, f url.Values) answer {
	w.Helper()
	if a.Secret == "" {
		f.Set("client_id", a.ID)
	}
	return w.post(path, a, f)
}

// verifier is a code_verifier, and pkce what an authorize request says of it (RFC 7636,
// appendix B).
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

var pkce = []string{"code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method", "S256"}

// tokensWithPKCE runs the code flow of a public client.
func (b *browser) tokensWithPKCE(a app, email string, pairs ...string) map[string]any {
	b.Helper()
	pairs = append(pairs, pkce...)
	got := b.redeem(a, b.code(a, email, pairs...), "code_verifier", verifier)
	if got.Status != http.StatusOK {
		b.Fatalf("status %d: %s", got.Status, got.Body)
	}
	return got.JSON(b)
}

// get asks for a path, follows nothing and keeps no cookie.
func (w *world) get(path string, headers ...string) answer {
	w.Helper()
	return w.send(http.MethodGet, path, "", headers...)
}

// send sends a request as it is; headers come in pairs.
func (w *world) send(method, path, body string, headers ...string) answer {
	w.Helper()
	r, err := http.NewRequest(method, w.URL+path, strings.NewReader(body))
	w.must(err)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return w.do(plain, r)
}
