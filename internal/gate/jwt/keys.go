package jwt

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/sealing"
)

// MaxKeySet bounds a set of somebody's public keys, in bytes.
const MaxKeySet = 32 << 10

// AnyOf are keys one of which has to have signed a token that names none. At most
// mostTried are tried.
type AnyOf []jose.JSONWebKey

const mostTried = 4

// ReadKeys reads somebody's JSON Web Key Set (RFC 7517, 5) and returns the keys
// that signatures can be checked with. The error says what is wrong with the set, or
// with the first key of it that can't be used; the others are returned all the same.
func ReadKeys(body []byte) (keys []jose.JSONWebKey, err error) {
	if len(body) > MaxKeySet {
		return nil, fmt.Errorf("it is longer than %d bytes", MaxKeySet)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(body, &set) != nil || len(set.Keys) == 0 {
		return nil, errors.New("it is not a JSON object with a list of keys")
	}
	for i, text := range set.Keys {
		key, bad := readKey(text)
		named := slices.ContainsFunc(keys, func(k jose.JSONWebKey) bool { return k.KeyID != "" && k.KeyID == key.KeyID })
		if bad == nil && named {
			bad = errors.New("another one has the same kid")
		}
		switch {
		case bad == nil:
			keys = append(keys, key)
		case err == nil:
			err = &BadKey{i + 1, bad}
		}
	}
	return keys, err
}

// BadKey is a key of a set that can't be used.
type BadKey struct {
	Number int // in the set, from 1 on
	Why    error
}

func (b *BadKey) Error() string { return fmt.Sprintf("key %d: %v", b.Number, b.Why) }

var errUnknownKey = errors.New("it is not a key that is known here")

func readKey(text []byte) (key jose.JSONWebKey, err error) {
	if bits := rsaBits(text); bits > jose.MaxRSAModulusBits {
		return key, fmt.Errorf("an RSA key may have %d bits at most", jose.MaxRSAModulusBits)
	}
	if key.UnmarshalJSON(text) != nil {
		return key, errUnknownKey
	}
	return key, checkKey(key)
}

// rsaBits returns about how many bits the number has that makes an RSA key strong,
// and slow; 0 for other keys.
func rsaBits(text []byte) int {
	var key struct {
		Kind    string `json:"kty"`
		Modulus string `json:"n"`
	}
	if json.Unmarshal(text, &key) != nil || key.Kind != "RSA" {
		return 0
	}
	modulus, _ := sealing.Decode(key.Modulus)
	return 8 * len(bytes.TrimLeft(modulus, "\x00"))
}

// checkKey says why a key is none to check signatures with: it is private or
// symmetric, too weak, or of a curve that nobody asked for.
func checkKey(key jose.JSONWebKey) error {
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() < 2048 {
			return errors.New("an RSA key needs 2048 bits or more")
		}
		return nil
	case *ecdsa.PublicKey:
		if public.Curve != elliptic.P256() {
			return errors.New("its curve must be P-256")
		}
		return nil
	case ed25519.PublicKey:
		return nil
	case []byte, *rsa.PrivateKey, *ecdsa.PrivateKey, ed25519.PrivateKey:
		return errors.New("it is secret: leave out everything but the public key")
	}
	return errUnknownKey
}

// CauseOwnKey is the cause where a token does not bring a key that it may be signed with.
const CauseOwnKey Cause = "it brings no public key of its own that goes with its alg"

// OwnKey returns the public key that a token brings along, for the uses where a
// signature shows nothing but that its maker has the key.
func OwnKey(header Header) (crypto.PublicKey, error) {
	if header.Key == nil || checkKey(*header.Key) != nil || !kindFits(*header.Key, header.Algorithm) {
		return nil, CauseOwnKey
	}
	return header.Key.Key, nil
}

// Fitting returns those of the keys that a token with the header may be signed
// with: the one that it names, or all whose kind goes with its algorithm.
func Fitting(keys []jose.JSONWebKey, header Header) AnyOf {
	var fitting AnyOf
	for _, key := range keys {
		named := header.KeyID == "" || key.KeyID == header.KeyID
		if named && key.Use != "enc" && (key.Algorithm == "" || key.Algorithm == header.Algorithm) &&
			kindFits(key, header.Algorithm) {
			fitting = append(fitting, key)
		}
	}
	return fitting
}

// Known reports whether the keys have the one of the token: that which it names, or where
// it names none one that has signed it.
func (h Header) Known(keys []jose.JSONWebKey) bool {
	if h.KeyID != "" {
		return slices.ContainsFunc(keys, func(k jose.JSONWebKey) bool { return k.KeyID == h.KeyID })
	}
	_, err := Fitting(keys, h).verify(h.signed)
	return err == nil
}

func kindFits(key jose.JSONWebKey, algorithm string) bool {
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		return algorithm == "RS256" || algorithm == "PS256"
	case *ecdsa.PublicKey:
		return algorithm == "ES256" && public.Curve == elliptic.P256()
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}
	return false
}

// verify returns the payload if one of the keys has signed it.
func (a AnyOf) verify(signed *jose.JSONWebSignature) ([]byte, error) {
	for _, key := range a[:min(len(a), mostTried)] {
		if payload, err := signed.Verify(key.Key); err == nil {
			return payload, nil
		}
	}
	return nil, CauseSignature
}
