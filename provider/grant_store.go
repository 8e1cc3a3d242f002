package provider

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/handler/openid"
	fositestorage "github.com/ory/fosite/storage"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// grantStore lets the framework's many small steps become our few acts: its
// writes between BeginTX and Commit are gathered, and Commit performs the one
// act that they amount to. One statement in the database then decides who
// redeems a code or rotates a refresh token.
type grantStore struct {
	provider *Provider
}

var (
	_ fosite.Storage                     = (*grantStore)(nil)
	_ oauth2.CoreStorage                 = (*grantStore)(nil)
	_ oauth2.TokenRevocationStorage      = (*grantStore)(nil)
	_ openid.OpenIDConnectRequestStorage = (*grantStore)(nil)
	_ fositestorage.Transactional        = (*grantStore)(nil)
)

// act returns who acts in the request behind ctx, and when.
func (p *Provider) act(ctx context.Context, actor storage.Actor) storage.Act {
	return acts.Of(ctx, p.ambient.Now(), actor)
}

func hashCode(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}

// requester rebuilds the framework's view of a request from a grant.
func (s *grantStore) requester(c fosite.Client, grant *storage.Grant, scopes []string, redirectURI string,
	sess *session) fosite.Requester {
	return &fosite.Request{
		ID:             grant.ID,
		RequestedAt:    grant.CreatedAt,
		Client:         c,
		RequestedScope: scopes,
		GrantedScope:   scopes,
		Form:           url.Values{"redirect_uri": {redirectURI}},
		Session:        sess,
	}
}

// CreateAuthorizeCodeSession keeps a fresh code, with everything its
// redemption will need, in one row. The hash arrives as the signature.
func (s *grantStore) CreateAuthorizeCodeSession(ctx context.Context, signature string, request fosite.Requester) error {
	own := request.GetSession().(*session)
	code := own.code
	code.Hash = []byte(signature)
	return s.provider.store.IssueCode(ctx, *code, own.rests, own.parked)
}

// GetAuthorizeCodeSession returns what the code was issued for. Codes of other
// clients do not exist here: nobody may spend, or by reuse revoke, what is not
// theirs.
func (s *grantStore) GetAuthorizeCodeSession(ctx context.Context, signature string,
	sess fosite.Session) (fosite.Requester, error) {
	own := sess.(*session)
	code, err := s.code(ctx, signature, own)
	if err != nil {
		return nil, err
	}
	c, err := provenClient(ctx)
	if err != nil {
		return nil, err
	}
	if !code.SpentAt.IsZero() {
		return nil, s.refuseSpent(ctx, code, grantOf(code))
	}
	if err := redeems(*code, own.bound); err != nil {
		return nil, err
	}
	returning := code.RedirectURI
	if own.nowhere {
		if code.Challenge == "" {
			return nil, fault.New(fault.Invalid, "invalid_request",
				"The parameter redirect_uri is missing, and no code_challenge binds the code.")
		}
		returning = ""
	}
	scopes, err := s.speakForCode(ctx, own, c.(*client))
	if err != nil {
		return nil, err
	}
	return s.requester(c, own.grant, scopes, returning, own), nil
}

// speakForCode makes the session stand for the grant that its code leads to, and
// returns the scopes that the client has of it.
func (s *grantStore) speakForCode(ctx context.Context, own *session, c *client) (scopes []string, err error) {
	p := s.provider
	grant := grantOf(own.code)
	grant.ProofKey, grant.Certificate = own.bound.Key, own.bound.Certificate
	grant.EndsAt = p.grantEnd(c, p.ambient.Now())
	own.speakFor(grant)
	if own.target, err = p.resources.Granted(ctx, c.ID, own.asked, own.code.Resources, own.code.IssuedAt); err != nil {
		return nil, err
	}
	return stillHeld(own.code.Scopes, c, own.target)
}

// refuseSpent lets the store judge a code that was used before, as it judges
// one that is used twice at the same moment: what it led to is revoked, and
// the trail tells why.
func (s *grantStore) refuseSpent(ctx context.Context, code *storage.AuthorizeCode, grant storage.Grant) error {
	act := s.provider.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: code.ClientID})
	err := s.provider.store.RedeemCode(ctx, act, code.Hash, grant)
	if err == nil {
		return fault.New(fault.Internal, "", "the store redeemed a code that it had called spent")
	}
	return err
}

// errUnknownCode is deliberately one answer for what never was, is over, or is
// another client's.
var errUnknownCode = fault.New(fault.Invalid, "invalid_grant", "The authorization code is unknown or has expired.")

// code reads the code's row once a request, and hides it from other clients
// and after its time.
func (s *grantStore) code(ctx context.Context, signature string, own *session) (*storage.AuthorizeCode, error) {
	if own.code != nil && string(own.code.Hash) == signature {
		return own.code, nil
	}
	c, err := provenClient(ctx)
	if err != nil {
		return nil, err
	}
	code, err := s.provider.store.FindCode(ctx, []byte(signature))
	if fault.Is(err, fault.NotFound) {
		return nil, errUnknownCode
	}
	if err != nil {
		return nil, err
	}
	if code.ClientID != c.GetID() || code.SpentAt.IsZero() && s.provider.over(code, c.(*client)) {
		return nil, errUnknownCode
	}
	own.code = &code
	return own.code, nil
}

// over reports whether a code that nobody used is good for nothing any more: after
// its time, and where its client would not get it today, because its redirect URI
// is none of the client's any more or it has no challenge and now needs one.
func (p *Provider) over(code storage.AuthorizeCode, c *client) bool {
	_, returns := p.returning(c, code.RedirectURI)
	unprotected := code.Challenge == "" && clientprofile.PKCERequired(c.Client)
	return !returns || unprotected || !p.ambient.Now().Before(code.ExpiresAt)
}

func grantOf(code *storage.AuthorizeCode) storage.Grant {
	return storage.Grant{
		ID: code.GrantID, ClientID: code.ClientID, UserID: code.UserID, SessionID: code.SessionID,
		Scopes: code.Scopes, Resources: code.Resources, Nonce: code.Nonce, Claims: code.Claims,
		AuthTime: code.AuthTime, ACR: code.ACR, AMR: code.AMR, UpstreamID: code.UpstreamID,
		Device: code.Device,
	}
}

// narrow keeps the scopes that the client may still ask for.
func narrow(scopes []string, c *client, target resources.Target) []string {
	may := target.MayAsk(c.Scopes)
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return !scope.Registered(may, s) })
}

// stillHeld is narrow for a new token. One of which nothing is left is refused: an
// answer can't say so, for one without a scope says that it is the one asked for.
func stillHeld(scopes []string, c *client, target resources.Target) ([]string, error) {
	held := narrow(scopes, c, target)
	if len(target.Held(held)) == 0 {
		return nil, fault.New(fault.Invalid, "invalid_scope", "The client may ask for none of these scopes any more.")
	}
	return held, nil
}

// GetRefreshTokenSession returns what the refresh token continues. Forged
// tokens, tokens of other clients and of ended grants do not exist here; which
// generation is the live one is judged by RotateRefresh alone, at commit.
func (s *grantStore) GetRefreshTokenSession(ctx context.Context, token string,
	sess fosite.Session) (fosite.Requester, error) {
	c, err := provenClient(ctx)
	if err != nil {
		return nil, err
	}
	grantID, generation, ok := s.provider.refresh.parse(token)
	if !ok {
		return nil, fosite.ErrNotFound
	}
	grant, err := s.provider.store.FindGrant(ctx, grantID)
	if fault.Is(err, fault.NotFound) || err == nil && (grant.ClientID != c.GetID() || !grant.RevokedAt.IsZero()) {
		return nil, fosite.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	own := sess.(*session)
	if err := s.unused(ctx, grant, c.(*client), own.bound, generation); err != nil {
		return nil, err
	}
	if err := s.continues(ctx, grant, c.(*client), own.bound); err != nil {
		return nil, err
	}
	own.target, err = s.provider.resources.Granted(ctx, grant.ClientID, own.asked, grant.Resources, grant.CreatedAt)
	if err != nil {
		return nil, err
	}
	scopes, err := refreshScopes(ctx, grant, c.(*client), own.target)
	if err != nil {
		return nil, err
	}
	own.speakFor(grant)
	own.use = storage.RefreshUse{
		GrantID: grantID, Generation: generation,
		Grace: s.provider.lifetimes.RefreshGrace, Lifetime: s.provider.lifetimes.RefreshToken,
		// One that was rotated before its client was of such a profile is followed by that one.
		Keeps:    !c.(*client).profile.RotatesRefresh() && generation >= grant.Generation,
		ProofKey: grant.ProofKey, Certificate: grant.Certificate,
	}
	if c.(*client).Public() { // nothing else says whose the next one is (RFC 9449, 5, and RFC 8705, 4)
		own.use.ProofKey = cmp.Or(grant.ProofKey, own.bound.Key)
		own.use.Certificate = cmp.Or(grant.Certificate, own.bound.Certificate)
	}
	return s.requester(c, &grant, scopes, "", own), nil
}

// unused has the store judge a token that was used before by who could go on with the grant, and is
// presented by who can't: one of the two stole it, and the key may well be the thief's.
func (s *grantStore) unused(ctx context.Context, grant storage.Grant, c *client, bound signing.Bound,
	generation int) error {
	if generation >= grant.Generation || continues(ctx, grant, c, bound) == nil {
		return nil
	}
	act := s.provider.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: c.ID})
	_, err := s.provider.store.RotateRefresh(ctx, act, storage.RefreshUse{GrantID: grant.ID, Generation: generation})
	return err
}

// continues reports why the client can't go on with the grant; nil: it can.
func (s *grantStore) continues(ctx context.Context, grant storage.Grant, c *client, bound signing.Bound) error {
	err := continues(ctx, grant, c, bound)
	if err == nil && grant.UpstreamID != "" {
		err = s.provider.elsewhere.Stays(ctx, grant.UpstreamID, grant.UserID)
	}
	return err
}

// refreshScopes returns what the new access token may do: the grant's scopes,
// or the part of them that was asked for (RFC 6749 section 6).
func refreshScopes(ctx context.Context, grant storage.Grant, c *client, target resources.Target) ([]string, error) {
	request, ok := ctx.Value(fosite.AccessRequestContextKey).(fosite.AccessRequester)
	if !ok {
		return narrow(grant.Scopes, c, target), nil
	}
	asked, err := scope.Parse(request.GetRequestForm().Get("scope"))
	if err != nil {
		return nil, err
	}
	if !scope.Within(asked, grant.Scopes) {
		return nil, fault.New(fault.Invalid, "invalid_scope", "The scope goes beyond what was granted.")
	}
	if len(asked) == 0 {
		asked = grant.Scopes
	}
	return stillHeld(asked, c, target)
}

// RevokeRefreshToken and RevokeAccessToken are what the framework would do
// about reuse. The acts that notice it, RedeemCode and RotateRefresh, have done
// so already.
func (s *grantStore) RevokeRefreshToken(context.Context, string) error { return nil }

// RevokeAccessToken has nothing to do: see RevokeRefreshToken.
func (s *grantStore) RevokeAccessToken(context.Context, string) error { return nil }

// GetClient returns an enabled client.
func (s *grantStore) GetClient(ctx context.Context, id string) (fosite.Client, error) {
	if c, ok := ctx.Value(judgedClientKey{}).(*client); ok && c.ID == id {
		return c, nil
	}
	c, err := s.provider.clients.find(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nil, fosite.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// GetOpenIDConnectSession returns the request with its session: the code's row
// holds nonce and times. Without openid there is no such session.
func (s *grantStore) GetOpenIDConnectSession(_ context.Context, _ string,
	request fosite.Requester) (fosite.Requester, error) {
	if !request.GetGrantedScopes().Has("openid") {
		return nil, openid.ErrNoSessionFound
	}
	return request, nil
}

// The steps below have nothing to keep: access tokens are stateless, the
// OpenID Connect session is the code's row, and client assertions are not
// offered as client authentication.

func (s *grantStore) CreateOpenIDConnectSession(context.Context, string, fosite.Requester) error {
	return nil
}
func (s *grantStore) DeleteOpenIDConnectSession(context.Context, string) error { return nil }
func (s *grantStore) CreateAccessTokenSession(context.Context, string, fosite.Requester) error {
	return nil
}
func (s *grantStore) DeleteAccessTokenSession(context.Context, string) error  { return nil }
func (s *grantStore) DeleteRefreshTokenSession(context.Context, string) error { return nil }
func (s *grantStore) CreateRefreshTokenSession(context.Context, string, string, fosite.Requester) error {
	return nil
}

func (s *grantStore) GetAccessTokenSession(context.Context, string, fosite.Session) (fosite.Requester, error) {
	return nil, fosite.ErrNotFound
}

var errNotOffered = errors.New("client assertions are not offered")

func (s *grantStore) ClientAssertionJWTValid(context.Context, string) error { return errNotOffered }
func (s *grantStore) SetClientAssertionJWT(context.Context, string, time.Time) error {
	return errNotOffered
}
