package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// groupClaims returns what the client is told of the person's groups, when the
// scopes or the claims parameter for the place ask for it and the client is still
// registered for it, and the fixed claims that it has of its own where any scope
// tells something. Who is in no group has no such claim.
func (p *Provider) groupClaims(ctx context.Context, user storage.User, scopes []string, raw, place string,
	c *client) (map[string]any, error) {
	var groups []storage.UserGroup
	asked, err := asksForGroups(scopes, raw, place, c)
	if err == nil && asked {
		groups, err = p.store.ListGroupsOfUser(ctx, user.ID)
	}
	if err != nil || !asked && len(scopes) == 0 {
		return nil, err
	}
	claims := c.claims.Of(groups)
	if len(groups) > 0 && !c.claims.OfGroups() {
		usual := clientprofile.Claims{{Name: "groups", Source: clientprofile.SourceGroups}}
		maps.Copy(claims, usual.Of(groups))
	}
	return claims, nil
}

func asksForGroups(scopes []string, raw, place string, c *client) (bool, error) {
	if slices.Contains(scopes, scope.Groups) {
		return true, nil
	}
	wanted, err := parseClaims(raw)
	_, named := wanted[place]["groups"]
	return named && slices.Contains(c.Scopes, scope.Groups), err
}
