package provider

import (
	"cmp"
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/provider/scope"
)

// takenBy returns who a token speaks for at those of the resources that take it, with the
// scopes that it has at any of them, and which they are. Unauthenticated where none does.
func takenBy(ctx context.Context, p *Provider, resources []string,
	token string) (caller bearer.Caller, taken []string, err error) {
	var refusal error
	for _, one := range resources {
		judge := p.bearer.For(one)
		there, err := judge.Check(ctx, token)
		if err == nil {
			err = judge.Proven(ctx, there)
		}
		if fault.Is(err, fault.Unauthenticated) {
			refusal = cmp.Or(refusal, err)
			continue
		}
		if err != nil {
			return caller, nil, err
		}
		there.Scopes = scope.Union(caller.Scopes, there.Scopes)
		caller, taken = there, append(taken, one)
	}
	if len(taken) == 0 {
		return caller, nil, refusal
	}
	return caller, taken, nil
}
