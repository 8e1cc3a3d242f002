package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// employers are providers of OpenID Connect, each at an address of its own below a base.
// One signs in whoever comes, as the person of the address that stands in its path.
type employers struct {
	testing.TB
	URL, secret string // where they are, and the file with the secret that all know us by
	signer      jose.Signer
	jags        jose.Signer // of what vouches for people
}

func newEmployers(t testing.TB) employers {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	e := employers{TB: t, secret: filepath.Join(t.TempDir(), "secret")}
	e.must(err)
	e.must(os.WriteFile(e.secret, []byte("secret there"), 0o600))
	signs := jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}
	e.signer, err = jose.NewSigner(signs, nil)
	e.must(err)
	e.jags, err = jose.NewSigner(signs, (&jose.SignerOptions{}).WithType("oauth-id-jag+jwt"))
	e.must(err)
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Use: "sig"}}}
	tell := func(w http.ResponseWriter, what any) { _ = json.NewEncoder(w).Encode(what) }
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	e.URL = server.URL
	mux.HandleFunc("/{who}/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		own := e.issuer(r.PathValue("who"))
		tell(w, map[string]any{"issuer": own, "authorization_endpoint": own + "/authorize",
			"token_endpoint": own + "/token", "jwks_uri": own + "/keys"})
	})
	mux.HandleFunc("/{who}/keys", func(w http.ResponseWriter, _ *http.Request) { tell(w, keys) })
	mux.HandleFunc("/{who}/authorize", func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.Query()
		http.Redirect(w, r, asked.Get("redirect_uri")+"?"+url.Values{"code": {asked.Get("nonce")},
			"state": {asked.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/{who}/token", func(w http.ResponseWriter, r *http.Request) {
		tell(w, map[string]any{"token_type": "Bearer", "access_token": "none", "id_token": e.signed(e.signer,
			r.PathValue("who"), "aud", "portico", "nonce", r.FormValue("code"), "email_verified", true)})
	})
	return e
}

func (e employers) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

func (e employers) issuer(who string) string { return e.URL + "/" + who }

// signed is what an employer says of its person: they are called as their address.
func (e employers) signed(by jose.Signer, who string, pairs ...any) string {
	e.Helper()
	now := time.Now()
	claims := map[string]any{"iss": e.issuer(who), "sub": who, "email": who, "iat": now.Unix(),
		"exp": now.Add(5 * time.Minute).Unix(), "auth_time": now.Unix(), "jti": rand.Text()}
	for i := 0; i+1 < len(pairs); i += 2 {
		claims[pairs[i].(string)] = pairs[i+1]
	}
	text, err := jwt.Signed(by).Claims(claims).Serialize()
	e.must(err)
	return text
}

// employed is a person of an upstream, and an app to which that vouches for them.
type employed struct {
	by            employers
	upstream      string
	broker        client
	word, vouched string // what vouches, and a token that was given for such a word
}

// joins adds the upstream of the person, and has it sign them in.
func (d *dock) joins(all employers) *visitor {
	d.Helper()
	d.employed = employed{by: all, upstream: "of-" + strings.ToLower(d.userID),
		broker: d.client("--type", "service", "--profile", "standard", "--scope", "data:read")}
	d.command("", "upstream", "create", d.upstream, "--secret-file", all.secret, "issuer="+all.issuer(d.email),
		"client_id=portico", "networks=127.0.0.0/8", "link=verified", "trust_email=true",
		"assertion_clients="+d.broker.ID)
	v := d.visitor(d.email)
	v.goes = append(v.goes, all.URL+"/")
	eventually(d, patience, "the upstream signs them in", func() bool {
		p, err := v.open(d.URL + "/login/upstream/" + d.upstream)
		return err == nil && p.Status == http.StatusOK && p.At.Path != "/login"
	})
	return v
}

// vouchedFor has the upstream vouch for the person.
func (d *dock) vouchedFor() {
	d.Helper()
	speaks := func() string {
		return d.by.signed(d.by.jags, d.email, "aud", d.URL, "client_id", d.broker.ID, "scope", "data:read")
	}
	d.word = speaks()
	d.vouched = d.presents(d.site, speaks()).text("access_token")
}

func (d *dock) presents(at *site, word string) answer {
	return at.token(d.broker, "grant_type", jwtBearer, "assertion", word)
}

func (d *dock) employedLasting() map[string]func(at *site) bool {
	return map[string]func(at *site) bool{"vouched": func(at *site) bool {
		got := at.send(introspectPath, d.broker, "token", d.vouched)
		return strings.Contains(got.Body, `"active":true`) && strings.Contains(got.Body, "data:read")
	}}
}

func (d *dock) employedOnce() map[string]func(at *site) bool {
	return map[string]func(at *site) bool{
		"their word": func(at *site) bool { return gives(d, d.presents(at, d.word)) },
	}
}
