package provider

import (
	"context"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/handler/openid"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/portrait"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// strategy makes every kind of token for the framework.
type strategy struct {
	provider *Provider
}

var (
	_ oauth2.CoreStrategy               = (*strategy)(nil)
	_ openid.OpenIDConnectTokenStrategy = (*strategy)(nil)
)

// GenerateAccessToken signs the access token and, where one is due, the ID
// token with it: both before the code or refresh token is spent, so that a
// failing signature costs the client nothing.
func (s *strategy) GenerateAccessToken(ctx context.Context, request fosite.Requester) (string, string, error) {
	p := s.provider
	own := request.GetSession().(*session)
	own.issuedAt = p.ambient.Now().Truncate(time.Second)
	if own.introduced != nil {
		token, err := s.signIntroduction(ctx, request.GetClient().(*client), own)
		return token, "", err
	}
	if own.demands.ProofNeeded() && own.bound == (signing.Bound{}) {
		return "", "", dpop.Refuse("Tokens for this resource are bound to a key: send a proof in the header DPoP.")
	}
	algorithm := own.demands.Algorithm(request.GetClient().(*client).AccessTokenAlg)
	token, err := p.keys.SignAccess(ctx, algorithm, p.accessClaims(request, own))
	if err != nil {
		return "", "", err
	}
	if own.grant != nil && request.GetGrantedScopes().Has("openid") {
		own.idToken, err = p.signIDToken(ctx, request, own, idTokenHashes{accessToken: token})
	}
	return token, "", err
}

// accessEnd returns when the session's access token expires: with its grant at the
// latest, for that is what the person was told, and where a resource says how old a
// sign-in may be, when it is that old; but for the one second that is the least that
// expires_in can say.
func (p *Provider) accessEnd(own *session) time.Time {
	end := own.exchanged.notAfter(own.issuedAt.Add(own.demands.Lifetime(p.lifetimes.AccessToken)))
	if own.grant != nil {
		end = notAfter(own.grant.EndsAt, end)
	}
	if _, then, person := own.signIn(); person && own.target.MaxAge() > 0 {
		end = notAfter(then.Add(own.target.MaxAge()), end)
	}
	if own.assertion != nil {
		end = notAfter(own.assertion.KeyEndsAt, end)
	}
	if own.introduced != nil {
		end = notAfter(own.introduced.until, own.issuedAt.Add(introductionLife))
	}
	if least := own.issuedAt.Add(time.Second); end.Before(least) {
		return least
	}
	return end
}

// accessClaims returns the claims of decision T1.
func (p *Provider) accessClaims(request fosite.Requester, own *session) signing.AccessClaims {
	claims := signing.AccessClaims{
		Subject:   request.GetClient().GetID(),
		ClientID:  request.GetClient().GetID(),
		IssuedAt:  own.issuedAt.Unix(),
		ExpiresAt: p.accessEnd(own).Unix(),
		JTI:       p.ambient.Token(),
		Scope:     scope.Format(own.target.Held(request.GetGrantedScopes())),
		Audience:  own.target.Identifiers(),
	}
	if user := own.userID(); user != "" {
		claims.Subject, claims.UserID = user, user
	}
	if own.grant != nil {
		claims.GrantID = own.grant.ID
		if request.GetClient().(*client).profile.TellsSignIn() {
			claims.ACR, claims.AuthTime = own.grant.ACR, own.grant.AuthTime.Unix()
		}
	}
	if own.assertion != nil {
		claims.KeyID = own.assertion.KID
	}
	if own.exchanged != nil {
		own.exchanged.claim(&claims)
	}
	if own.bound != (signing.Bound{}) {
		claims.Bound = &own.bound
	}
	if request.GetClient().(*client).PlainJWT {
		claims.Use = signing.UseAccess
	}
	return claims
}

// GenerateIDToken returns the ID token that was signed along with the access
// token, or signs the one of an authorization response.
func (s *strategy) GenerateIDToken(ctx context.Context, _ time.Duration, request fosite.Requester) (string, error) {
	own := request.GetSession().(*session)
	if own.idToken != "" {
		return own.idToken, nil
	}
	own.issuedAt = s.provider.ambient.Now().Truncate(time.Second)
	return s.provider.signIDToken(ctx, request, own, idTokenHashes{code: own.issued})
}

// GenerateAuthorizeCode returns 256 random bits; the hash is all we keep.
func (s *strategy) GenerateAuthorizeCode(_ context.Context, request fosite.Requester) (string, string, error) {
	code := s.provider.ambient.Token()
	request.GetSession().(*session).issued = code
	return code, string(hashCode(code)), nil
}

// AuthorizeCodeSignature returns the code's hash.
func (s *strategy) AuthorizeCodeSignature(_ context.Context, code string) string {
	return string(hashCode(code))
}

// GenerateRefreshToken returns the grant's first refresh token, or the
// successor of the one presented.
func (s *strategy) GenerateRefreshToken(_ context.Context, request fosite.Requester) (string, string, error) {
	own := request.GetSession().(*session)
	token, ok := s.provider.refresh.make(own.grant.ID, own.use.Successor())
	if !ok {
		return "", "", fault.New(fault.Internal, "", "the grant's id is not 16 bytes of base64url")
	}
	return token, token, nil
}

// RefreshTokenSignature returns the token itself: GetRefreshTokenSession reads
// the grant out of it, and nothing of it is stored.
func (s *strategy) RefreshTokenSignature(_ context.Context, token string) string { return token }

// AccessTokenSignature has no meaning for a stateless token.
func (s *strategy) AccessTokenSignature(context.Context, string) string { return "" }

// The validations have happened where the rows were read.

func (s *strategy) ValidateAuthorizeCode(context.Context, fosite.Requester, string) error { return nil }
func (s *strategy) ValidateRefreshToken(context.Context, fosite.Requester, string) error  { return nil }

// ValidateAccessToken fails closed: internal/gate/bearer judges access tokens.
func (s *strategy) ValidateAccessToken(context.Context, fosite.Requester, string) error {
	return fosite.ErrInactiveToken
}

// userFor returns the person whose claims a token or answer is to carry, or a
// Gone fault once they are disabled or deleted.
func (p *Provider) userFor(ctx context.Context, id string) (storage.User, error) {
	user, err := p.store.FindUser(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && user.Disabled {
		return storage.User{}, fault.New(fault.Gone, storage.ReasonRevoked, "The account is no longer active.")
	}
	return portrait.Adorned(user, p.issuer), err
}
