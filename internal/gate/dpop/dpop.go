// Package dpop judges proofs of possession (RFC 9449): that whoever makes a request
// has a private key, and signed this very request with it, just now and once.
//
// It binds nothing. Which key a token is bound to is for whoever makes it (provider)
// and whoever takes it (internal/gate/bearer). Start at Proofs.Judge; nonce.go has what
// a proof may have to quote, seen.go the memory of those that came.
package dpop

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/redislink"
	"github.com/portico-id/portico/internal/sealing"
)

// Header is the one that has the proof.
const Header = "DPoP"

// Reasons of the faults of Judge, as RFC 9449 words them.
const (
	ReasonInvalid  = "invalid_dpop_proof"
	ReasonUseNonce = "use_dpop_nonce"
)

// Bounds of a proof beside Fresh and Ahead.
const (
	maxProof = 8 << 10 // bytes
	maxID    = 256     // characters
)

// Options are what Proofs are made of.
type Options struct {
	Bases   []string // the addresses that the server is reached at, without a slash at the end
	Ring    *sealing.Ring
	Ambient *ambient.Source
	Nonces  bool // a proof has to quote what the server said last

	RedisURL string       // as ratelimit.Options has it; empty: a proof counts once on each server
	Log      *slog.Logger // needed with RedisURL only
}

// Proofs judges proofs. It is safe for concurrent use.
type Proofs struct {
	with Options
	seen *memory
	link *redislink.Link // nil: nothing is shared
}

// New returns a judge of proofs that has seen none. Its error says what is wrong with
// the URL of Redis.
func New(o Options) (p *Proofs, err error) {
	p = &Proofs{with: o, seen: newMemory(maxSeen)}
	if o.RedisURL == "" {
		return p, nil
	}
	p.link, err = redislink.Open(redislink.Options{
		URL: o.RedisURL, Ambient: o.Ambient, Log: o.Log,
		Down: "Redis does not answer: a proof of possession counts once on each server",
		Up:   "Redis answers again: a proof of possession counts once on all servers",
	})
	return p, err
}

// Close gives the connections to Redis back.
func (p *Proofs) Close() error {
	if p == nil || p.link == nil {
		return nil
	}
	return p.link.Close()
}

// Sent reports whether the request brings a proof, or what is meant to be one.
func Sent(r *http.Request) bool { return len(r.Header.Values(Header)) > 0 }

// claims are what a proof says (RFC 9449, 4.2).
type claims struct {
	ID          string   `json:"jti"`
	Method      string   `json:"htm"`
	URL         string   `json:"htu"`
	IssuedAt    *float64 `json:"iat"`
	AccessToken string   `json:"ath"`
	Nonce       string   `json:"nonce"`
}

// Judge returns the thumbprint (RFC 7638) of the key that the request's one proof was
// signed with. At a resource the proof is for the access token, too; elsewhere that is
// empty. With algorithms it is signed by one of these, else by any that we know. Any
// failure is Invalid with ReasonInvalid or ReasonUseNonce, and its cause says why. A
// proof counts once, and is used up when nothing else is wrong.
func (p *Proofs) Judge(r *http.Request, accessToken string, algorithms ...string) (thumbprint string, err error) {
	sent := r.Header.Values(Header)
	if len(sent) != 1 {
		return "", Refuse("The request needs exactly one DPoP header, with a proof.")
	}
	header, said, err := open(r.Context(), sent[0])
	if err != nil {
		return "", Refuse("The DPoP proof can't be used: " + causeOf(err) + ".").Because(err)
	}
	if len(algorithms) > 0 && !slices.Contains(algorithms, header.Algorithm) {
		return "", Refuse("DPoP proofs of this client are signed with: " + strings.Join(algorithms, ", ") + ".")
	}
	if err := p.fits(r, accessToken, said); err != nil {
		return "", err
	}
	print, err := header.Key.Thumbprint(crypto.SHA256)
	if err != nil {
		return "", Refuse("The DPoP proof's key has no thumbprint.").Because(err)
	}
	thumbprint = base64.RawURLEncoding.EncodeToString(print)
	if !p.first(r.Context(), thumbprint, said) {
		return "", Refuse("The DPoP proof was used before: make a new one for each request.")
	}
	return thumbprint, nil
}

// first reports whether the proof came for the first time: to this server and, where
// they share what they saw, to any.
func (p *Proofs) first(ctx context.Context, thumbprint string, said claims) bool {
	mark, now := markOf(thumbprint, said.ID), p.with.Ambient.Now()
	if !p.seen.first(mark, *said.IssuedAt, now) {
		return false
	}
	return p.link == nil || firstOfAll(ctx, p.link, mark, *said.IssuedAt, now)
}

// Refuse is the fault of a proof that does not count.
func Refuse(detail string) *fault.Error { return fault.New(fault.Invalid, ReasonInvalid, detail) }

func causeOf(err error) string {
	why := jwt.CauseForm
	errors.As(err, &why)
	return string(why)
}

func open(ctx context.Context, proof string) (header jwt.Header, said claims, err error) {
	use := jwt.Use{
		Types: []string{jwt.TypeProof}, Algorithms: strings.Fields(httpio.ProofAlgorithms), Longest: maxProof,
		Key: func(_ context.Context, header jwt.Header) (crypto.PublicKey, error) { return jwt.OwnKey(header) },
	}
	header, payload, err := use.Open(ctx, proof)
	if err == nil {
		err = jwt.Read(payload, &said)
	}
	return header, said, err
}

// fits holds what a proof says against the request that it came with.
func (p *Proofs) fits(r *http.Request, accessToken string, said claims) error {
	switch {
	case said.ID == "" || utf8.RuneCountInString(said.ID) > maxID:
		return Refuse("The DPoP proof needs a jti of at most 256 characters.")
	case said.Method != r.Method:
		return Refuse("The DPoP proof's htm is not the method of this request.")
	case !p.isHere(r, said.URL):
		return Refuse("The DPoP proof's htu is not the address of this request, which begins with " + p.with.Bases[0] + ".")
	case accessToken != "" && said.AccessToken != hashOf(accessToken):
		return Refuse("The DPoP proof's ath is not the hash of the access token.")
	}
	if err := p.isFresh(said.IssuedAt); err != nil {
		return err
	}
	if p.with.Nonces && !p.known(said.Nonce) {
		return fault.New(fault.Invalid, ReasonUseNonce, "The DPoP proof must quote the nonce of the header DPoP-Nonce.")
	}
	return nil
}

func (p *Proofs) isFresh(issuedAt *float64) error {
	now := float64(p.with.Ambient.Now().UnixMilli()) / 1e3
	switch {
	case issuedAt == nil:
		return Refuse("The DPoP proof has no iat.")
	case *issuedAt < now-Fresh.Seconds():
		return Refuse("The DPoP proof is too old.")
	case *issuedAt > now+Ahead.Seconds():
		return Refuse("The DPoP proof's iat is in the future: set the clock.")
	}
	return nil
}

// isHere reports whether a proof is for the address of the request. That is built from
// what the server is configured to be reached at: behind a proxy neither host nor
// scheme of the request are those that the client knows.
func (p *Proofs) isHere(r *http.Request, claimed string) bool {
	claimed = normal(claimed)
	return claimed != "" && slices.ContainsFunc(p.with.Bases, func(base string) bool {
		return claimed == normal(base+r.URL.EscapedPath())
	})
}

// hashOf is what a proof says of its access token.
func hashOf(accessToken string) string {
	sum := sha256.Sum256([]byte(accessToken))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
