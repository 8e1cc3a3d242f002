package registration

import (
	"context"
	"crypto/subtle"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Own returns the client whose token it is. Unauthenticated (ReasonToken) for every other
// token, and where the client is gone or disabled: it learns nothing of that.
func (r *Registrar) Own(ctx context.Context, id, token string) (storage.Client, error) {
	enrolment, err := r.with.Store.FindEnrolment(ctx, id)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return storage.Client{}, err
	}
	if err != nil || subtle.ConstantTimeCompare(enrolment.TokenHash, hashed(token)) == 0 || enrolment.Disabled {
		return storage.Client{}, fault.New(fault.Unauthenticated, ReasonToken,
			"The registration access token does not count, or counts no more.")
	}
	return r.with.Apps.Find(ctx, id)
}

// Replace makes the client what it says of itself; what it does not say becomes what is
// usual (RFC 7592, 2.2). What administrators gave it stays theirs to give.
func (r *Registrar) Replace(ctx context.Context, act storage.Act, c storage.Client, said Metadata) (storage.Client,
	error) {
	if said.ClientID != c.ID {
		return c, wrong("client_id", "The client_id in the body is not that of the client.")
	}
	if said.ClientSecret != "" && !holds(c, act, said.ClientSecret) {
		return c, wrong("client_secret", "A client does not choose its secret.")
	}
	wanted, err := said.client(c, r.with.DefaultScopes)
	if err != nil {
		return c, err
	}
	if wanted.Type != c.Type || wanted.AuthMethod != c.AuthMethod && !(wanted.BySecret() && c.BySecret()) {
		return c, wrong("token_endpoint_auth_method",
			"With this the client would be of another sort: let it register anew.")
	}
	changed, err := r.with.Apps.Become(ctx, act, wanted)
	return changed, inItsWords(err)
}

func holds(c storage.Client, act storage.Act, secret string) bool {
	hash := hashed(secret)
	return slices.ContainsFunc(c.LiveSecrets(act.At), func(one storage.ClientSecret) bool {
		return subtle.ConstantTimeCompare(one.Hash, hash) == 1
	})
}

// Delete ends the client with everything that people have granted it.
func (r *Registrar) Delete(ctx context.Context, act storage.Act, c storage.Client) error {
	return r.with.Apps.Delete(ctx, act, c.ID)
}
