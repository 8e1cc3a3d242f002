package provider

import (
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
	"github.com/portico-id/portico/internal/httpio"
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
	exchange := httpio.From(ctx)
	return storage.Act{At: p.ambient.Now(), Actor: actor, RequestID: exchange.RequestID, Address: exchange.Address}
}

func hashCode(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}

// requester rebuilds the framework's view of a request from a grant.
func (s *grantStore) requester(c fosite.Client, grant *storage.Grant, scopes []string, redirectURI string, sess *session) fosite.Requester {
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
	code := request.GetSession().(*session).code
	code.Hash = []byte(signature)
	return s.provider.store.IssueCode(ctx, *code)
}

// GetAuthorizeCodeSession returns what the code was issued for. Codes of other
// clients do not exist here: nobody may spend, or by reuse revoke, what is not
// theirs.
func (s *grantStore) GetAuthorizeCodeSession(ctx context.Context, signature string, sess fosite.Session) (fosite.Requester, error) {
	own := sess.(*session)
	code, err := s.code(ctx, signature, own)
	if err != nil {
		return nil, err
	}
	c, err := provenClient(ctx)
	if err != nil {
		return nil, err
	}
	grant := grantOf(code)
	own.speakFor(grant)
	request := s.requester(c, &grant, narrow(code.Scopes, c.(*client)), code.RedirectURI, own)
	if !code.SpentAt.IsZero() {
		return request, fosite.ErrInvalidatedAuthorizeCode
	}
	return request, nil
}

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
		return nil, fosite.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	unspentAndOver := code.SpentAt.IsZero() && !s.provider.ambient.Now().Before(code.ExpiresAt)
	if code.ClientID != c.GetID() || unspentAndOver {
		return nil, fosite.ErrNotFound
	}
	own.code = &code
	return own.code, nil
}

func grantOf(code *storage.AuthorizeCode) storage.Grant {
	return storage.Grant{
		ID: code.GrantID, ClientID: code.ClientID, UserID: code.UserID, SessionID: code.SessionID,
		Scopes: code.Scopes, Nonce: code.Nonce, Claims: code.Claims,
		AuthTime: code.AuthTime, ACR: code.ACR, AMR: code.AMR,
	}
}

// narrow keeps the scopes that the client is still registered for.
func narrow(scopes []string, c *client) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return !scope.Registered(c.Scopes, s) })
}

// GetRefreshTokenSession returns what the refresh token continues. Forged
// tokens, tokens of other clients and of ended grants do not exist here; which
// generation is the live one is judged by RotateRefresh alone, at commit.
func (s *grantStore) GetRefreshTokenSession(ctx context.Context, token string, sess fosite.Session) (fosite.Requester, error) {
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
	scopes, err := refreshScopes(ctx, grant, c.(*client))
	if err != nil {
		return nil, err
	}
	own := sess.(*session)
	own.speakFor(grant)
	own.use = storage.RefreshUse{
		GrantID: grantID, Generation: generation,
		Grace: s.provider.lifetimes.RefreshGrace, Lifetime: s.provider.lifetimes.RefreshToken,
	}
	return s.requester(c, &grant, scopes, "", own), nil
}

// refreshScopes returns what the new access token may do: the grant's scopes,
// or the part of them that was asked for (RFC 6749 section 6).
func refreshScopes(ctx context.Context, grant storage.Grant, c *client) ([]string, error) {
	held := narrow(grant.Scopes, c)
	request, ok := ctx.Value(fosite.AccessRequestContextKey).(fosite.AccessRequester)
	if !ok {
		return held, nil
	}
	asked, err := scope.Parse(request.GetRequestForm().Get("scope"))
	if err != nil {
		return nil, err
	}
	if !scope.Within(asked, grant.Scopes) {
		return nil, fault.New(fault.Invalid, "invalid_scope", "The scope goes beyond what was granted.")
	}
	if len(asked) == 0 {
		return held, nil
	}
	return narrow(asked, c), nil
}

// RevokeRefreshToken ends the whole grant; so does RevokeAccessToken. The
// framework calls both when a spent code comes back.
func (s *grantStore) RevokeRefreshToken(ctx context.Context, grantID string) error {
	c, err := provenClient(ctx)
	if err != nil {
		return err
	}
	return s.provider.store.RevokeGrant(ctx, s.provider.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: c.GetID()}), grantID)
}

// RevokeAccessToken has nothing left to do after RevokeRefreshToken, which the
// framework always calls with it: access tokens die with their grant.
func (s *grantStore) RevokeAccessToken(context.Context, string) error { return nil }

// GetClient returns an enabled client.
func (s *grantStore) GetClient(ctx context.Context, id string) (fosite.Client, error) {
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
func (s *grantStore) GetOpenIDConnectSession(_ context.Context, _ string, request fosite.Requester) (fosite.Requester, error) {
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
