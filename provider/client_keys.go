package provider

import (
	"context"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fetched"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/outbound"
)

// remoteKeys are the keys that clients publish at their jwks_uri.
type remoteKeys struct {
	sets *fetched.Documents[[]jose.JSONWebKey]
}

func newRemoteKeys(o *outbound.Client, source *ambient.Source) *remoteKeys {
	return &remoteKeys{fetched.New(fetched.Options[[]jose.JSONWebKey]{
		Ambient: source, Timeout: 3 * time.Second, Least: 5 * time.Minute, Most: time.Hour,
		Get: func(ctx context.Context, address string) ([]jose.JSONWebKey, http.Header, error) {
			answer, err := o.Get(ctx, address, "application/jwk-set+json, application/json")
			if err != nil {
				return nil, nil, causeNoKeys
			}
			keys, _ := jwt.ReadKeys(answer.Body)
			if answer.Status != http.StatusOK || len(keys) == 0 {
				return nil, answer.Header, causeNoKeys
			}
			return keys, answer.Header, nil
		},
	})}
}

// causeNoKeys is the cause where a client's keys can't be had.
const causeNoKeys jwt.Cause = "the keys at the jwks_uri can't be fetched"

// of returns the keys of a client, preferably with what is looked for, or none. mayFetch is
// asked before anything is fetched.
func (r *remoteKeys) of(ctx context.Context, c *client, has func([]jose.JSONWebKey) bool,
	mayFetch func() error) ([]jose.JSONWebKey, error) {
	if c.KeysURI == "" {
		return c.keys, nil
	}
	return r.sets.Find(ctx, c.KeysURI, has, mayFetch)
}
