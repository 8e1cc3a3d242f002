package dpop

import (
	"crypto"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/jwt"
)

// Transport is the other side: it has requests of a client prove that it has a key,
// those for a token and those with one, which it presents by the scheme DPoP.
type Transport struct {
	Key      crypto.Signer // P-256
	Ambient  *ambient.Source
	TokenURL string // requests for it, and with an access token, get a proof
	Next     http.RoundTripper

	nonce atomic.Value // what the server said last, a string
}

// RoundTrip implements http.RoundTripper. A request whose proof lacked the server's
// nonce is sent once more.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	token, bearing := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case bearing:
	case r.URL.String() == t.TokenURL:
		token = "" // what it says proves the client
	default:
		return t.Next.RoundTrip(r)
	}
	said, _ := t.nonce.Load().(string)
	answer, err := t.once(r, token, said)
	if err != nil {
		return nil, err
	}
	fresh := answer.Header.Get(NonceHeader)
	if fresh == "" || fresh == said {
		return answer, nil
	}
	t.nonce.Store(fresh)
	refused := answer.StatusCode == http.StatusBadRequest || answer.StatusCode == http.StatusUnauthorized
	if !refused || r.Body != nil && r.GetBody == nil {
		return answer, nil
	}
	_ = answer.Body.Close()
	if r.GetBody != nil {
		if r.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	return t.once(r, token, fresh)
}

func (t *Transport) once(r *http.Request, token, nonce string) (*http.Response, error) {
	proof, err := t.proof(r, token, nonce)
	if err != nil {
		return nil, err
	}
	proving := r.Clone(r.Context())
	proving.Header.Set(Header, proof)
	if token != "" {
		proving.Header.Set("Authorization", "DPoP "+token)
	}
	return t.Next.RoundTrip(proving)
}

func (t *Transport) proof(r *http.Request, token, nonce string) (string, error) {
	address := *r.URL
	address.RawQuery, address.Fragment = "", ""
	said := map[string]any{"jti": t.Ambient.UID(), "htm": r.Method, "htu": address.String(), "iat": t.Ambient.Now().Unix()}
	if token != "" {
		said["ath"] = hashOf(token)
	}
	if nonce != "" {
		said["nonce"] = nonce
	}
	payload, err := json.Marshal(said)
	if err != nil {
		return "", err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: t.Key},
		(&jose.SignerOptions{EmbedJWK: true}).WithHeader(jose.HeaderType, jwt.TypeProof))
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}
