package upstreams

import (
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/storage"
)

// The causes that assertions give by which an upstream vouches for one of its people to
// an app (draft-ietf-oauth-identity-assertion-authz-grant).
const (
	causeVouchless cause = "no upstream that vouches for people to this client has that issuer"
	causeClient    cause = "client_id is not the client that presents it"
	causeNoIssue   cause = "iat is missing"
	causeStranger  cause = "nobody here has that account of the upstream"
	causeLeft      cause = "the upstream has said that the person is gone"
)

const longestVouching = 10 * time.Minute

// vouching is what of such an assertion counts.
type vouching struct {
	idToken
	ClientID string      `json:"client_id"`
	Scope    string      `json:"scope"`
	Resource jwt.Strings `json:"resource"`
	Bound    boundKey    `json:"cnf"`
}

// boundKey is the thumbprint of the key that an assertion is bound to. How else it may be
// bound nobody here can judge, so that it counts for nobody then.
type boundKey string

func (b *boundKey) UnmarshalJSON(text []byte) error {
	var members map[string]string
	err := json.Unmarshal(text, &members)
	if err != nil || len(members) != 1 || members["jkt"] == "" {
		return errors.Join(errors.New("it is bound otherwise than to a key by its thumbprint"), err)
	}
	*b = boundKey(members["jkt"])
	return nil
}

// Vouched implements provider.Elsewhere.
func (u *Upstreams) Vouched(ctx context.Context, clientID, assertion string) (storage.Voucher, error) {
	voucher, err := u.vouched(ctx, clientID, assertion)
	if failure := new(fault.Error); err == nil || errors.As(err, &failure) {
		return voucher, err
	}
	return storage.Voucher{}, fault.New(fault.Invalid, "invalid_grant",
		"The assertion vouches for nobody to this client.").Because(err)
}

func (u *Upstreams) vouched(ctx context.Context, clientID, assertion string) (storage.Voucher, error) {
	var upstream storage.Upstream
	var remote *remote
	keyIssuer, now := "", u.with.Ambient.Now()
	use := jwt.Use{Types: []string{jwt.TypeVouching}, Algorithms: algorithms(), Longest: maxIDToken,
		Key: func(ctx context.Context, header jwt.Header) (key crypto.PublicKey, err error) {
			if upstream, remote, err = u.voucher(ctx, clientID, header.Claimed().Issuer); err != nil {
				return nil, err
			}
			set, err := remote.keysFor(ctx, header.Known)
			keyIssuer = set.issuers[header.KeyID]
			return jwt.Fitting(set.keys, header), err
		}}
	_, payload, err := use.Open(ctx, assertion)
	var claims vouching
	if err == nil {
		err = jwt.Read(payload, &claims)
	}
	if err == nil {
		err = remote.ofIssuer(claims.idToken, keyIssuer)
	}
	if err == nil {
		err = claims.forUs(u.with.BaseURL, clientID, now)
	}
	if err != nil {
		return storage.Voucher{}, err
	}
	said := newProof(upstream, remote.config, claims.idToken)
	switch {
	case said.authTime.IsZero():
		said.authTime, _ = untold(now, false)
	case said.authTime.After(now):
		said.authTime = now // its clock makes no sign-in fresher
	}
	return u.vouchedFor(ctx, said, claims)
}

// voucher returns the upstream with the issuer that vouches for its people to the client:
// an administrator has said so. It is never ourselves.
func (u *Upstreams) voucher(ctx context.Context, clientID, issuer string) (storage.Upstream, *remote, error) {
	all, err := u.with.Store.ListUpstreams(ctx) // as they are now
	if err != nil {
		return storage.Upstream{}, nil, err
	}
	for _, one := range offered(all) {
		config, err := configOf(one)
		if err != nil {
			return one, nil, err
		}
		if config.Issuer == issuer && issuer != u.with.BaseURL && slices.Contains(config.AssertionClients, clientID) {
			return one, u.remote(one, config), nil
		}
	}
	return storage.Upstream{}, nil, causeVouchless
}

// forUs holds an assertion to what it is for.
func (v vouching) forUs(issuer, clientID string, now time.Time) error {
	switch {
	case v.Subject == "" || len(v.Subject) > maxSubject:
		return causeSubject
	case v.ClientID != clientID:
		return causeClient
	case v.IssuedAt == nil:
		return causeNoIssue
	}
	return v.Judge(jwt.Expected{Issuer: v.Issuer, Subject: v.Subject, Audiences: []string{issuer}, Now: now,
		Leeway: leeway, Longest: longestVouching, IDNeeded: true})
}

// vouchedFor finds the person, by identity alone: nobody is made by this way.
func (u *Upstreams) vouchedFor(ctx context.Context, said proof, claims vouching) (storage.Voucher, error) {
	identity, err := u.with.Store.FindIdentity(ctx, said.upstream.ID, said.issuer, said.subject)
	switch {
	case fault.Is(err, fault.NotFound):
		return storage.Voucher{}, causeStranger
	case err != nil:
		return storage.Voucher{}, err
	case !identity.EndedAt.IsZero():
		return storage.Voucher{}, causeLeft
	}
	return storage.Voucher{
		UpstreamID: said.upstream.ID, JudgedBy: said.upstream.UpdatedAt, UserID: identity.UserID,
		Scopes: strings.Fields(claims.Scope), Resources: claims.Resource,
		ACR: said.acr, AMR: said.amr, AuthTime: said.authTime, ProofKey: string(claims.Bound),
	}, nil
}
