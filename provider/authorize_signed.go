package provider

import (
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/provider/clientprofile"
)

// How long a signed request counts.
const (
	requestLife   = time.Hour
	requestLeeway = 30 * time.Second
)

// The causes that are not in every token.
const (
	causeIsProof     jwt.Cause = "its sub is the client, so it could be taken for proof of who that is"
	causeOtherClient jwt.Cause = "its client_id is another one"
	causeNested      jwt.Cause = "it holds request or request_uri"
	causeNotBefore   jwt.Cause = "nbf is missing, over an hour old, or more than an hour before exp"
)

var errUnsigned = fault.New(fault.Invalid, "invalid_request", "This client must sign its requests (RFC 9101).")

// openRequest returns the parameters of a request object that the client has signed
// (RFC 9101). Faults are Invalid, invalid_request_object, which say why.
func (p arrivals) openRequest(ctx context.Context, c *client, object string,
	mayFetch func() error) (url.Values, error) {
	use := jwt.Use{
		Types: []string{jwt.TypeNone, jwt.TypePlain, jwt.TypeRequest}, Algorithms: clientprofile.AssertionAlgorithms(),
		Longest: maxRequestObject,
		Key: func(ctx context.Context, header jwt.Header) (crypto.PublicKey, error) {
			keys, err := p.remote.of(ctx, c, header.Known, mayFetch)
			if err != nil {
				return nil, err
			}
			fitting := jwt.Fitting(keys, header)
			if len(fitting) == 0 || !slices.Contains(c.profile.AssertionAlgorithms(), header.Algorithm) {
				return nil, causeNoFittingKey
			}
			return fitting, nil
		},
	}
	var said jwt.Claims
	var members map[string]json.RawMessage
	_, payload, err := use.Open(ctx, object)
	if err == nil {
		err = errors.Join(jwt.Read(payload, &said), jwt.Read(payload, &members))
	}
	if err == nil {
		err = p.judgeRequest(c, said)
	}
	var params url.Values
	if err == nil {
		params, err = parametersOf(c, members)
	}
	if why := jwt.Cause(""); errors.As(err, &why) {
		return nil, fault.Newf(fault.Invalid, "invalid_request_object", "The request object can't be taken: %s.", why)
	}
	return params, err
}

// judgeRequest holds a request object to being from the client and for us, among
// others or not, and now.
func (p arrivals) judgeRequest(c *client, said jwt.Claims) error {
	if slices.Contains(said.Audience, p.issuer) {
		said.Audience = []string{p.issuer}
	}
	want := jwt.Expected{
		Issuer: c.ID, Subject: said.Subject, Audiences: []string{p.issuer}, Now: p.ambient.Now(),
		Leeway: requestLeeway, Longest: requestLife + time.Minute,
	}
	if said.Subject == c.ID {
		return causeIsProof
	}
	if err := said.Judge(want); err != nil || !c.profile.NeedsNotBefore() {
		return err
	}
	hour := requestLife.Seconds()
	if said.NotBefore == nil || float64(want.Now.Unix())-*said.NotBefore > hour || *said.Expiry-*said.NotBefore > hour {
		return causeNotBefore
	}
	return nil
}

// parametersOf returns the members of a request object as authorize reads them: texts
// as they are, numbers and objects as JSON, and several resources one by one (RFC 8707, 2).
func parametersOf(c *client, members map[string]json.RawMessage) (url.Values, error) {
	params := url.Values{}
	for name, value := range members {
		var text string
		var several []string
		switch {
		case name == "request" || name == "request_uri":
			return nil, causeNested
		case name == "resource" && json.Unmarshal(value, &several) == nil:
			params[name] = several
		case json.Unmarshal(value, &text) == nil: // null is none
			params.Set(name, text)
		default:
			params.Set(name, string(value))
		}
	}
	if id := params.Get("client_id"); id != "" && id != c.ID {
		return nil, causeOtherClient
	}
	params.Set("client_id", c.ID)
	return withoutEmpty(params), nil
}
