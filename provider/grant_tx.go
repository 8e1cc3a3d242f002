package provider

import (
	"context"
	"time"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// pending is the act that the framework's steps since BeginTX amount to.
type pending struct {
	redeem  []byte // hash of the code to spend
	rotate  bool
	session *session
	done    bool
}

type pendingKey struct{}

// BeginTX opens a gathering of steps. Nothing touches the database yet: no
// transaction is ever held while tokens are signed.
func (s *grantStore) BeginTX(ctx context.Context) (context.Context, error) {
	request, ok := ctx.Value(fosite.AccessRequestContextKey).(fosite.AccessRequester)
	if !ok {
		return nil, fault.New(fault.Internal, "", "a transaction outside a token request")
	}
	return context.WithValue(ctx, pendingKey{}, &pending{session: request.GetSession().(*session)}), nil
}

// InvalidateAuthorizeCodeSession notes that the code is to be spent.
func (s *grantStore) InvalidateAuthorizeCodeSession(ctx context.Context, signature string) error {
	ctx.Value(pendingKey{}).(*pending).redeem = []byte(signature)
	return nil
}

// RotateRefreshToken notes that the refresh token is to be rotated.
func (s *grantStore) RotateRefreshToken(ctx context.Context, _ string, _ string) error {
	ctx.Value(pendingKey{}).(*pending).rotate = true
	return nil
}

// Commit performs the gathered act. Its fault says what the database decided;
// wire_error.go finds it in the chain of the framework's error.
func (s *grantStore) Commit(ctx context.Context) error {
	p := ctx.Value(pendingKey{}).(*pending)
	if p.done {
		return nil
	}
	p.done = true
	act := s.provider.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: p.session.grant.ClientID})
	if p.redeem != nil {
		return s.provider.store.RedeemCode(ctx, act, p.redeem, s.provider.firstGrant(act, p.session))
	}
	if p.rotate {
		generation, err := s.provider.store.RotateRefresh(ctx, act, p.session.use)
		if err == nil && generation != p.session.use.Successor() {
			return fault.New(fault.Internal, "", "the store moved the grant to an unexpected generation")
		}
		return err
	}
	return nil
}

// firstGrant is the grant that redemption makes, its first refresh token
// already counted when the client may use one.
func (p *Provider) firstGrant(act storage.Act, own *session) storage.Grant {
	grant := *own.grant
	grant.CreatedAt, grant.RotatedAt = act.At, act.At
	grant.Generation = 1
	grant.ExpiresAt = notAfter(grant.EndsAt, act.At.Add(p.lifetimes.RefreshToken))
	return grant
}

// notAfter returns the time, or the end where that is sooner; a zero end is none.
func notAfter(end, t time.Time) time.Time {
	if !end.IsZero() && end.Before(t) {
		return end
	}
	return t
}

// grantEnd returns when a grant ends that the client is given at the time; zero:
// never.
func (p *Provider) grantEnd(c *client, from time.Time) time.Time {
	lifetime := c.profile.GrantLifetime(p.lifetimes.Grant, p.lifetimes.GrantPlatform)
	if lifetime == 0 {
		return time.Time{}
	}
	return from.Add(lifetime)
}

// Rollback forgets the gathered act. After a Commit there is nothing to undo,
// and that is no error.
func (s *grantStore) Rollback(ctx context.Context) error {
	if p, ok := ctx.Value(pendingKey{}).(*pending); ok {
		p.done = true
	}
	return nil
}
