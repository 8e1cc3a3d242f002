package provider

import (
	"context"
	"slices"

	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// groupClaim returns the claim with the names of the person's groups, when the
// scopes or the claims parameter for the place ask for it and the client is
// still registered for it. Who is in no group has no such claim.
func (p *Provider) groupClaim(ctx context.Context, user storage.User, scopes []string, raw, place string, registered []string) (map[string]any, error) {
	wanted, err := parseClaims(raw)
	if err != nil {
		return nil, err
	}
	_, named := wanted[place]["groups"]
	if !slices.Contains(scopes, scope.Groups) && (!named || !slices.Contains(registered, scope.Groups)) {
		return nil, nil
	}
	groups, err := p.store.ListGroupsOfUser(ctx, user.ID)
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.Name
	}
	return map[string]any{"groups": names}, nil
}
