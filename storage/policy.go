package storage

import "context"

// PolicyStore keeps what administrators decide for the whole server, by names.
type PolicyStore interface {
	// FindPolicy returns what was decided; what nobody decided is not in it.
	FindPolicy(ctx context.Context) (map[string]string, error)

	// SetPolicy decides what the change names; what is empty there is undecided again.
	SetPolicy(ctx context.Context, act Act, change map[string]string) error
}
