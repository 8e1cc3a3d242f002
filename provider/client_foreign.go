package provider

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/storage"
)

// A secret that moved in as a hash of another product costs as much to check as a password,
// until it has been right once: an app may try so often from a network.
const (
	foreignBurst = 50
	foreignEvery = 6 * time.Second
)

// foreignSecrets are the secrets of clients of which there is only the hash of another product.
type foreignSecrets struct{ *Provider }

// proves returns the id of the live secret that one of the texts is, among those
// of the client, or "". From then on it is kept as all others. TooMany for who guesses.
func (p foreignSecrets) proves(ctx context.Context, c *client, texts ...string) (id string, err error) {
	for _, live := range c.LiveSecrets(p.ambient.Now()) {
		hash := live.Foreign()
		if hash == "" {
			continue
		}
		network := ratelimit.Key("", httpio.From(ctx).Address)
		if err := p.attempts.count(ctx, "client secret "+c.ID+" "+network, foreignEvery, foreignBurst); err != nil {
			return "", err
		}
		for _, text := range slices.Compact(texts) {
			ok, _, err := p.passwords.Verify(ctx, hash, text)
			if err != nil {
				return "", err
			}
			if ok {
				p.adopt(ctx, live, text)
				return live.ID, nil
			}
		}
	}
	return "", nil
}

// adopt keeps a secret as all others are kept, now that it is known.
func (p foreignSecrets) adopt(ctx context.Context, secret storage.ClientSecret, text string) {
	own := sha256.Sum256([]byte(text))
	if err := p.store.AdoptClientSecret(ctx, secret.ID, secret.Hash, own[:]); err != nil {
		p.log.WarnContext(ctx, "keeping a client's secret as ours", "error", err) // next time, then
	}
	p.clients.forget()
}
