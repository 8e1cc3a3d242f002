package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"
)

// prover signs proofs of possession (RFC 9449) for the token endpoint with ES256.
type prover struct {
	address string
	private *ecdsa.PrivateKey
}

func (p prover) proof() (string, error) {
	point, err := p.private.PublicKey.Bytes() // 4, then x and y
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString
	header, err := segment(map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": map[string]string{
		"kty": "EC", "crv": "P-256", "x": text(point[1:33]), "y": text(point[33:]),
	}})
	if err != nil {
		return "", err
	}
	payload, err := segment(map[string]any{"jti": rand.Text(), "htm": "POST", "htu": p.address, "iat": time.Now().Unix()})
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(header + "." + payload))
	r, s, err := ecdsa.Sign(rand.Reader, p.private, digest[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return header + "." + payload + "." + text(signature), nil
}

// provenLoads returns client_credentials whose tokens are signed with ES256: as it is,
// and with a proof in each request.
func provenLoads(ctx context.Context, s *server) ([]load, error) {
	made, err := s.command(ctx, "client", "create", "--name", "Proven", "--type", "service", "--scope", "data:read",
		"--profile", "standard", "--access-token-alg", "ES256")
	if err != nil {
		return nil, err
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	bare := s.credentials("client_credentials, ES256", appOf(made))
	proofs := &stock{sign: prover{s.url + s.paths.token, private}.proof}
	return []load{
		bare,
		{of: s, name: "client_credentials, ES256 and a proof", prepare: proofs.fill,
			request: func(ctx context.Context) (*http.Request, error) {
				r, err := bare.request(ctx)
				if err == nil {
					r.Header.Set("DPoP", proofs.take())
				}
				return r, err
			}},
	}, nil
}
