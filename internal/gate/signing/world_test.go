package signing_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/gate/signing/libcrypto"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/storage"
)

const (
	issuer   = "https://id.example.test"
	audience = "https://api.example.test"
	firstKID = "first-key"
)

var start = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

//go:embed testdata/key.pem
var keyPEM []byte

//go:embed testdata/key-ps256.pem
var keyPS256PEM []byte

// firstKey is a fixed key, so that the fuzzing processes agree on it and tests
// need not make one.
func firstKey(tb testing.TB) *rsa.PrivateKey {
	tb.Helper()
	return rsaKey(tb, keyPEM)
}

func rsaKey(tb testing.TB, text []byte) *rsa.PrivateKey {
	tb.Helper()
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		tb.Fatal(err)
	}
	return key.(*rsa.PrivateKey)
}

// native is nil, unless the tests are built to sign by the system's OpenSSL: see
// .ci/tests.
var native, _ = libcrypto.Open()

// world is a store with one active key of each algorithm, a clock, and the rings
// of two secrets.
type world struct {
	tb     testing.TB
	store  *watched
	source *ambient.Source
	clock  *ambient.FixedClock
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	source, clock := ambient.Fixed(start, 1)
	w := &world{tb: tb, store: newStore(tb), source: source, clock: clock}
	w.keep(signing.RS256, firstKID, firstKey(tb))
	w.keep(signing.PS256, "first-ps256", rsaKey(tb, keyPS256PEM))
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	w.keep(signing.ES256, "first-es256", curve)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	w.keep(signing.EdDSA, "first-eddsa", edwards)
	return w
}

// newOldWorld is a world whose store is of a server that knew RS256 alone.
func newOldWorld(tb testing.TB) *world {
	tb.Helper()
	source, clock := ambient.Fixed(start, 1)
	w := &world{tb: tb, store: newStore(tb), source: source, clock: clock}
	w.keep(signing.RS256, firstKID, firstKey(tb))
	return w
}

// keep adds a first key, which signs since the start.
func (w *world) keep(algorithm, kid string, key crypto.Signer) {
	w.tb.Helper()
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		w.tb.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		w.tb.Fatal(err)
	}
	err = w.store.AddSigningKey(w.tb.Context(), w.act(), storage.SigningKey{
		Algorithm: algorithm, Generation: 1, KID: kid, Public: public,
		Sealed:    w.ring("new", "").Seal("signing key", private, []byte(kid)),
		CreatedAt: start, ActiveFrom: start,
	})
	if err != nil {
		w.tb.Fatal(err)
	}
}

func (w *world) ring(secret, previous string) *sealing.Ring {
	w.tb.Helper()
	stretch := func(s string) []byte {
		if s == "" {
			return nil
		}
		return bytes.Repeat([]byte(s), 32)
	}
	ring, err := sealing.New(stretch(secret), stretch(previous), w.source)
	if err != nil {
		w.tb.Fatal(err)
	}
	return ring
}

func (w *world) act() storage.Act {
	return storage.Act{At: w.source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
}

func (w *world) options() signing.Options {
	return signing.Options{
		Store: w.store, Ring: w.ring("new", ""), Ambient: w.source, Log: slog.New(slog.DiscardHandler),
		Issuer: issuer, Audience: audience, Native: native,
	}
}

// open opens a key set of its own on the store: one replica.
func (w *world) open(change ...func(*signing.Options)) *signing.KeySet {
	w.tb.Helper()
	options := w.options()
	for _, c := range change {
		c(&options)
	}
	set, err := signing.Open(w.tb.Context(), options)
	if err != nil {
		w.tb.Fatal(err)
	}
	return set
}

// claims are those of a token that lives for an hour.
func (w *world) claims() signing.AccessClaims {
	now := w.source.Now()
	return signing.AccessClaims{
		Subject: "USER", ClientID: "client", UserID: "USER", GrantID: "grant",
		IssuedAt: now.Unix(), ExpiresAt: now.Add(time.Hour).Unix(),
		JTI: w.source.UUID(), Scope: "openid data:read",
	}
}

func (w *world) access(set *signing.KeySet) string {
	w.tb.Helper()
	token, err := set.SignAccess(context.Background(), "", w.claims())
	if err != nil {
		w.tb.Fatal(err)
	}
	return token
}

// headerOf returns the decoded header of a compact JWS.
func headerOf(tb testing.TB, token string) map[string]string {
	tb.Helper()
	var header map[string]string
	decode(tb, token, 0, &header)
	return header
}

func decode(tb testing.TB, token string, part int, into any) {
	tb.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[part])
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		tb.Fatal(err)
	}
}
