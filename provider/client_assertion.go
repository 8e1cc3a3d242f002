package provider

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// assertionType is the only client_assertion_type (RFC 7523, 2.2).
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// Bounds of what a client signs to prove itself.
const (
	maxClientAssertion  = 8 << 10
	assertionLeeway     = 30 * time.Second
	assertionLife       = 5*time.Minute + 5*time.Second
	assertionLegacyLife = time.Hour + 5*time.Second
)

// The causes that are not in the assertion itself.
const (
	causeNoClient     jwt.Cause = "sub names no client, or client_id another one"
	causeOtherMethod  jwt.Cause = "the app is not registered for it"
	causeOtherAlg     jwt.Cause = "alg is not the one that the app is registered for"
	causeNoFittingKey jwt.Cause = "no key of the app has this kid and goes with this alg"
	causeAgain        jwt.Cause = "its jti was used before"
)

// signsAssertion reports whether the form tries to prove its client by what it
// signed, rightly or not.
func signsAssertion(form url.Values) bool {
	return form.Get("client_assertion") != "" || form.Get("client_assertion_type") != ""
}

// proveBySignature proves the client by its assertion (RFC 7523, 3, and RFC 10070).
// The jti is spent when nothing else is wrong.
func (p *Provider) proveBySignature(w http.ResponseWriter, r *http.Request, form url.Values,
	class ratelimit.Class) (*client, error) {
	ctx := r.Context()
	if len(r.Header.Values("Authorization")) > 0 || form.Has("client_secret") {
		return nil, p.calls.failed(ctx, w.Header(), class, "", errTwoPlaces)
	}
	c, said, err := p.openAssertion(ctx, form, func(id string) error { return p.calls.at(ctx, w.Header(), class, id) })
	if err != nil {
		return nil, p.refuseAssertion(ctx, w, class, c, said, err)
	}
	httpio.From(ctx).ClientID = c.ID
	if err := p.calls.client(ctx, w.Header(), class, c); err != nil {
		return nil, err
	}
	if err := p.spendAssertion(ctx, c, said); err != nil {
		return nil, p.refuseAssertion(ctx, w, class, c, said, err)
	}
	return c, nil
}

// openAssertion returns the client that signed the assertion, and what it says. An
// error comes with what is known of both.
func (p *Provider) openAssertion(ctx context.Context, form url.Values,
	mayFetch func(clientID string) error) (c *client, said jwt.Claims, err error) {
	if form.Get("client_assertion_type") != assertionType {
		return nil, said, errClientAuth.Because(errText("the client_assertion_type is missing or another one"))
	}
	use := jwt.Use{
		Types:      []string{jwt.TypeNone, jwt.TypePlain, jwt.TypeClientAuthentication},
		Algorithms: clientprofile.AssertionAlgorithms(), Longest: maxClientAssertion,
		Key: func(ctx context.Context, header jwt.Header) (crypto.PublicKey, error) {
			id := header.Claimed().Subject
			if given := form.Get("client_id"); !httpio.IsText(id) || given != "" && given != id {
				return nil, causeNoClient
			}
			found, err := p.clients.find(ctx, id)
			if fault.Is(err, fault.NotFound) {
				return nil, causeNoClient
			}
			if err != nil {
				return nil, err
			}
			c = found
			return p.keyOf(ctx, c, header, func() error { return mayFetch(c.ID) })
		},
	}
	_, payload, err := use.Open(ctx, form.Get("client_assertion"))
	if err == nil {
		err = jwt.Read(payload, &said)
	}
	if err == nil {
		err = said.Judge(p.expectedOf(c))
	}
	if err == nil && c.profile.AudienceIsText() && jwt.Read(payload, new(struct {
		Audience string `json:"aud"`
	})) != nil {
		err = jwt.CauseAudience
	}
	return c, said, err
}

// keyOf returns the keys of the client that may have signed a token.
func (p *Provider) keyOf(ctx context.Context, c *client, header jwt.Header,
	mayFetch func() error) (crypto.PublicKey, error) {
	switch {
	case c.AuthMethod != storage.AuthPrivateKey:
		return nil, causeOtherMethod
	case c.AssertionAlg != "" && c.AssertionAlg != header.Algorithm,
		!slices.Contains(c.profile.AssertionAlgorithms(), header.Algorithm):
		return nil, causeOtherAlg
	}
	keys, err := p.remote.of(ctx, c, header.Known, mayFetch)
	if err != nil {
		return nil, err
	}
	fitting := jwt.Fitting(keys, header)
	if len(fitting) == 0 {
		return nil, causeNoFittingKey
	}
	return fitting, nil
}

// expectedOf is what an assertion of the client has to say: that it is for our
// issuer and for nobody else. Older libraries name the token endpoint instead, which
// a dishonest server can make a client sign (CVE-2025-27370), so that is for clients
// that are registered so.
func (p *Provider) expectedOf(c *client) jwt.Expected {
	want := jwt.Expected{
		Issuer: c.ID, Subject: c.ID, Audiences: []string{p.issuer}, Now: p.ambient.Now(),
		Leeway: assertionLeeway, Longest: assertionLife, IDNeeded: true,
	}
	if c.LegacyAudience && c.profile.MayNameTokenEndpoint() {
		want.Audiences, want.Longest = []string{p.issuer + TokenPath}, assertionLegacyLife
	}
	return want
}

// spendAssertion lets one of any number of tries with the same jti pass. The jtis of
// service accounts' assertions are told apart by their form.
func (p *Provider) spendAssertion(ctx context.Context, c *client, said jwt.Claims) error {
	sum := sha256.Sum256([]byte("client authentication\n" + *said.ID))
	err := p.store.SpendProofID(ctx, c.ID, base64.RawURLEncoding.EncodeToString(sum[:]),
		said.ExpiresAt().Add(2*assertionLeeway))
	if fault.HasReason(err, storage.ReasonSpent) {
		return causeAgain
	}
	return err
}

// refuseAssertion words a refusal for the wire, which has one answer for all, and
// tells whoever manages the client the cause.
func (p *Provider) refuseAssertion(ctx context.Context, w http.ResponseWriter, class ratelimit.Class, c *client,
	said jwt.Claims, err error) error {
	why, id := jwt.Cause(""), ""
	if c != nil {
		id = c.ID
	}
	if !errors.As(err, &why) {
		return p.calls.failed(ctx, w.Header(), class, id, err)
	}
	if c != nil {
		got, expected := "a client assertion: "+string(why),
			"one that a key of the app has signed for this server, and that is new"
		if errors.Is(why, jwt.CauseAudience) {
			got, expected = "a client assertion with the aud "+strings.Join(said.Audience, ", "),
				"the aud "+p.expectedOf(c).Audiences[0]+" and no other"
		}
		if c.byCertificate() {
			got, expected = "a connection: "+string(why), "one with the certificate of the app"
		}
		p.tell(ctx, c, storage.FailureSecret, got, expected)
	}
	return p.calls.failed(ctx, w.Header(), class, id, errClientAuth.Because(why))
}
