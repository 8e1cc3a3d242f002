package bearer

import (
	"context"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fresh"
	"github.com/portico-id/portico/storage"
)

// Remember returns tokens whose good verdicts are used for half a second at most. age is
// that of what they are asked of. Bad verdicts are not kept.
func Remember(tokens Tokens, source *ambient.Source, age func() uint64) Tokens {
	return &verdicts{Tokens: tokens, known: fresh.NewMoments[storage.TokenQuery, storage.TokenState](source, age)}
}

type verdicts struct {
	Tokens
	known *fresh.Moments[storage.TokenQuery, storage.TokenState]
}

// TokenState implements Tokens.
func (v *verdicts) TokenState(ctx context.Context, query storage.TokenQuery) (storage.TokenState, error) {
	asked := v.known.Begin()
	if state, ok := v.known.Find(asked, query); ok {
		return state, nil
	}
	state, err := v.Tokens.TokenState(ctx, query)
	if err == nil && state.Active {
		v.known.Keep(asked, query, state)
	}
	return state, err
}
