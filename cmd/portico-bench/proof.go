package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"sync"
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
	const path = "/authentication/v2/token"
	bare := posting(s, made)(path, url.Values{"grant_type": {"client_credentials"}})
	proofs := &stock{sign: prover{s.url + path, private}.proof}
	return []load{
		{name: "client_credentials, ES256", request: bare},
		{name: "client_credentials, ES256 and a proof", prepare: proofs.fill,
			request: func(ctx context.Context) (*http.Request, error) {
				r, err := bare(ctx)
				if err == nil {
					r.Header.Set("DPoP", proofs.take())
				}
				return r, err
			}},
	}, nil
}

// verification returns the processor time of one check of a P-256 signature, as
// signature measures that of making an RSA one.
func verification(clients int) (time.Duration, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return 0, err
	}
	digest := sha256.Sum256([]byte("portico"))
	signed, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		return 0, err
	}
	return inParallel(clients, func() error {
		ecdsa.VerifyASN1(&key.PublicKey, digest[:], signed)
		return nil
	})
}

// stock are things that were signed beforehand: what signs beside a server takes its
// processors away.
type stock struct {
	sign func() (string, error)

	mu   sync.Mutex
	left []string
}

func (s *stock) fill(n int) error {
	s.left = nil
	for range n {
		one, err := s.sign()
		if err != nil {
			return err
		}
		s.left = append(s.left, one)
	}
	return nil
}

func (s *stock) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.left[0]
	s.left = s.left[1:]
	return one
}
