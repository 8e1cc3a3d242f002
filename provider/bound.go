package provider

import (
	"context"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/clientcert"
	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

// possession finds out what those who ask for tokens prove that they have.
type possession struct{ proofs *dpop.Proofs }

// boundTo returns what the tokens are to be bound to that a client asks for: the key
// of its proof (RFC 9449, 5) and, where it is registered so, its certificate (RFC 8705,
// 3). A client that has no other tokens is refused without.
func (p possession) boundTo(r *http.Request, c *client) (bound signing.Bound, err error) {
	if !c.profile.MayBind() {
		return bound, nil
	}
	if c.CertificateNeeded {
		if bound.Certificate = clientcert.Shown(httpio.From(r.Context()).Certificates); bound.Certificate == "" {
			return bound, fault.New(fault.Invalid, "invalid_request",
				"This client's tokens are bound to its certificate: connect with it.")
		}
	}
	switch {
	case dpop.Sent(r):
		bound.Key, err = p.judge(r, c)
	case c.ProofNeeded || c.profile.BoundOnly() && bound.Certificate == "":
		err = dpop.Refuse("This client's tokens are bound to a key: send a proof in the header DPoP.")
	}
	return bound, err
}

// judge returns the key of a good proof, which the profile of the client may hold to
// fewer algorithms.
func (p possession) judge(r *http.Request, c *client) (string, error) {
	return p.proofs.Judge(r, "", c.profile.AssertionAlgorithms()...)
}

// thumbprint is what names a key (RFC 7638 with SHA-256).
var thumbprint = pattern.Of(`^[A-Za-z0-9_-]{43}$`)

// proofKey returns the key that a code is to be redeemed with, as an authorize request
// names it (RFC 9449, 10); "" for any or none.
func proofKey(c *client, params url.Values) (string, error) {
	key := params.Get("dpop_jkt")
	switch {
	case !c.profile.MayBind():
		return "", nil
	case key != "" && !thumbprint().MatchString(key):
		return "", fault.New(fault.Invalid, "invalid_request",
			"The dpop_jkt must be the base64url of a SHA-256 hash, 43 characters.")
	}
	return key, nil
}

// bindPushed names in a request that its client pushes the key of the proof that came
// with it (RFC 9449, 10.1). A client may do both, for the same key.
func (p possession) bindPushed(r *http.Request, c *client, params url.Values) error {
	named, err := proofKey(c, params)
	if err != nil || !c.profile.MayBind() || !dpop.Sent(r) {
		return err
	}
	key, err := p.judge(r, c)
	if err == nil && named != "" && named != key {
		err = dpop.Refuse("The dpop_jkt is not the thumbprint of the DPoP proof's key.")
	}
	if err == nil {
		params.Set("dpop_jkt", key)
	}
	return err
}

// redeems refuses a code that is bound to another key than the request is (RFC 9449,
// 10).
func redeems(code storage.AuthorizeCode, bound signing.Bound) error {
	if code.ProofKey == "" || code.ProofKey == bound.Key {
		return nil
	}
	return fault.New(fault.Invalid, "invalid_grant",
		"The authorization code is bound to a key, of which the request has no DPoP proof.")
}

// continues refuses to go on with a grant for who lacks what its tokens were bound to
// from the beginning. A public client has to have the very same (RFC 9449, 5, and RFC
// 8705, 4), whether or not its tokens are bound to a certificate still. One that proves itself
// may have changed it, but can't do without a key; whether without a certificate boundTo has judged.
func continues(ctx context.Context, grant storage.Grant, c *client, bound signing.Bound) error {
	keyLost := grant.ProofKey != "" && bound.Key != grant.ProofKey && (bound.Key == "" || c.Public())
	shown := clientcert.Shown(httpio.From(ctx).Certificates)
	if keyLost || c.Public() && grant.Certificate != "" && grant.Certificate != shown {
		return fault.New(fault.Invalid, "invalid_grant",
			"The refresh token is bound to a key or a certificate that this request does not prove.")
	}
	return nil
}
