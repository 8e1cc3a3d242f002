package provider

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"maps"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/storage"
)

// idTokenHashes binds an ID token to what was issued beside it (OpenID Connect
// Core 3.1.3.6 and 3.3.2.11).
type idTokenHashes struct {
	accessToken string // at_hash is made of it; empty: none
	codeHash    string // c_hash, ready made; empty: none
}

// signIDToken signs the ID token of a grant (decision T5): a refreshed one has
// the first one's auth_time, nonce and audience.
func (p *Provider) signIDToken(ctx context.Context, request fosite.Requester, own *session, hashes idTokenHashes) (string, error) {
	grant := own.grant
	user, err := p.userFor(ctx, grant.UserID)
	if err != nil {
		return "", err
	}
	claims := map[string]any{
		"iss":       p.issuer,
		"sub":       grant.UserID,
		"aud":       request.GetClient().GetID(),
		"iat":       own.issuedAt.Unix(),
		"exp":       own.issuedAt.Add(p.lifetimes.IDToken).Unix(),
		"auth_time": grant.AuthTime.Unix(),
		"acr":       grant.ACR,
		"amr":       grant.AMR,
	}
	groups, err := p.groupClaim(ctx, user, request.GetGrantedScopes(), grant.Claims, "id_token", request.GetClient().GetScopes())
	if err != nil {
		return "", err
	}
	maps.Copy(claims, groups)
	maps.Copy(claims, idTokenPersonClaims(request, own, user))
	for name, value := range map[string]string{
		"nonce":   grant.Nonce,
		"sid":     grant.SessionID,
		"c_hash":  hashes.codeHash,
		"at_hash": halfHash(hashes.accessToken),
	} {
		if value != "" {
			claims[name] = value
		}
	}
	return p.keys.SignID(ctx, claims)
}

// idTokenPersonClaims returns the claims about the person that belong into the
// ID token. Without an access token it is all that the scopes stand for, for
// there is no user info to ask; beside one it is what relying parties that
// never ask user info (the Kubernetes API server among them) identify people
// by, and what the claims parameter names.
//
// Divergence: OpenID Connect Core 5.4 would leave all of it to user info.
func idTokenPersonClaims(request fosite.Requester, own *session, user storage.User) map[string]any {
	all := personClaims(user, request.GetGrantedScopes())
	named := requestedClaims(own.grant.Claims, "id_token", user, request.GetClient().GetScopes())
	if own.frontOnly {
		maps.Copy(all, named)
		return all
	}
	kept := map[string]any{}
	for _, name := range []string{"email", "email_verified", "name", "preferred_username"} {
		if value, ok := all[name]; ok {
			kept[name] = value
		}
	}
	maps.Copy(kept, named)
	return kept
}

// halfHash is the left half of the SHA-256 of a token, as at_hash wants it.
func halfHash(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2])
}
