package apps

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"

	"github.com/go-jose/go-jose/v4"
)

// newKey makes a key for a client to prove itself by (ES256): the private half as a
// JSON Web Key, and the key set of the public one.
func (a *Apps) newKey() (private, public string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), a.ambient.Random())
	if err != nil {
		return "", "", err
	}
	own := jose.JSONWebKey{Key: key, Algorithm: "ES256", Use: "sig"}
	name, err := own.Thumbprint(crypto.SHA256)
	if err != nil {
		return "", "", err
	}
	own.KeyID = base64.RawURLEncoding.EncodeToString(name)
	secret, err := json.MarshalIndent(own, "", "  ")
	if err != nil {
		return "", "", err
	}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{own.Public()}})
	return string(secret), string(set), err
}
