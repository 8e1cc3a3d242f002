package serviceaccounts_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// signer is a key of an account on the client's side.
type signer struct {
	*world
	app     app
	account string
	kid     string
	pem     string
	private *rsa.PrivateKey
}

// signer creates an account of the app with a key.
func (w *world) signer(a app, name string) signer {
	w.Helper()
	return w.key(a, w.account(a, name))
}

// key creates a key of the account.
func (w *world) key(a app, account string) signer {
	w.Helper()
	return w.keyAs(a, account, "")
}

// keyAs creates one with a body.
func (w *world) keyAs(a app, account, body string) signer {
	w.Helper()
	got := w.expect(http.StatusCreated, "POST", accountsPath+"/"+account+"/keys", a.Token, body).JSON(w)
	text := got["privateKey"].(string)
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "RSA PRIVATE KEY" || len(rest) != 0 {
		w.Fatal("the private key is not one block of PKCS#1 PEM")
	}
	private, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	w.must(err)
	return signer{world: w, app: a, account: account, kid: got["kid"].(string), pem: text, private: private}
}

type object = map[string]any

// claims returns good claims with changes; a nil value leaves one out.
func (s signer) claims(changes object) object {
	claims := object{
		"iss": s.app.ID, "sub": s.account, "aud": s.Issuer + tokenPath,
		"exp": s.ambient.Now().Add(4 * time.Minute).Unix(), "scope": []string{"data:read"},
	}
	maps.Copy(claims, changes)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	return claims
}

// sign signs the claims as a client does.
func (s signer) sign(changes object) string {
	s.Helper()
	return s.signWith(jose.RS256, s.private, s.kid, s.claims(changes))
}

func (s signer) signWith(alg jose.SignatureAlgorithm, key any, kid string, claims any) string {
	s.Helper()
	options := &jose.SignerOptions{}
	if kid != "" {
		options = options.WithHeader("kid", kid)
	}
	by, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options)
	s.must(err)
	payload, err := json.Marshal(claims)
	s.must(err)
	return s.seal(by, payload)
}

// signRaw signs a payload as it stands.
func (s signer) signRaw(payload string) string {
	s.Helper()
	by, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: s.private},
		(&jose.SignerOptions{}).WithHeader("kid", s.kid))
	s.must(err)
	return s.seal(by, []byte(payload))
}

// signUnder signs good claims under a header as it stands.
func (s signer) signUnder(header string) string {
	s.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	input := encode([]byte(header)) + "." + strings.Split(s.sign(nil), ".")[1]
	sum := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(nil, s.private, crypto.SHA256, sum[:])
	s.must(err)
	return input + "." + encode(signature)
}

func (s signer) seal(by jose.Signer, payload []byte) string {
	s.Helper()
	signed, err := by.Sign(payload)
	s.must(err)
	text, err := signed.CompactSerialize()
	s.must(err)
	return text
}

// form is an exchange's request; more are pairs of further fields.
func exchangeForm(assertion string, more ...string) url.Values {
	f := url.Values{"grant_type": {jwtBearer}, "assertion": {assertion}}
	for i := 0; i+1 < len(more); i += 2 {
		f.Set(more[i], more[i+1])
	}
	return f
}

// exchange presents an assertion.
func (s signer) exchange(assertion string, more ...string) answer {
	s.Helper()
	return s.post(tokenPath, s.app, exchangeForm(assertion, more...))
}

// token is exchange of a good assertion, which must succeed.
func (s signer) token() string {
	s.Helper()
	got := s.exchange(s.sign(nil))
	if got.Status != http.StatusOK {
		s.Fatalf("a good assertion: %d %s", got.Status, got.Body)
	}
	return got.JSON(s)["access_token"].(string)
}

// works reports whether a token is taken.
func (w *world) works(token string) bool {
	w.Helper()
	return w.call("GET", "/whoami", token, "").Status == http.StatusOK
}

// refused checks an error of the exchange: status, code and body shape.
func (w *world) refused(got answer, status int, code string) {
	w.Helper()
	body := got.JSON(w)
	text, _ := body["error_description"].(string)
	if got.Status != status || body["error"] != code || len(body) != 2 || text == "" {
		w.Errorf("got %d %s, want %d %s", got.Status, got.Body, status, code)
	}
}
