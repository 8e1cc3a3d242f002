package provider

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"maps"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/storage"
)

// idTokenHashes binds an ID token to what was issued beside it (OpenID Connect
// Core 3.1.3.6 and 3.3.2.11).
type idTokenHashes struct {
	accessToken string // at_hash is made of it; empty: none
	code        string // likewise c_hash
}

// signIDToken signs the ID token of a grant (decision T5): a refreshed one has
// the first one's auth_time, nonce and audience.
func (p *Provider) signIDToken(ctx context.Context, request fosite.Requester, own *session,
	hashes idTokenHashes) (string, error) {
	grant := own.grant
	user, err := p.userFor(ctx, grant.UserID)
	if err != nil {
		return "", err
	}
	claims, err := p.idTokenPerson(ctx, request, own, user, hashes)
	if err != nil {
		return "", err
	}
	maps.Copy(claims, map[string]any{ // ours, whatever a client is told beside
		"iss":       p.issuer,
		"sub":       grant.UserID,
		"aud":       request.GetClient().(*client).name(),
		"iat":       own.issuedAt.Unix(),
		"exp":       own.issuedAt.Add(p.lifetimes.IDToken).Unix(),
		"auth_time": grant.AuthTime.Unix(),
		"acr":       grant.ACR,
	})
	if len(grant.AMR) > 0 { // an upstream may not have said with what
		claims["amr"] = grant.AMR
	}
	algorithm := request.GetClient().(*client).IDTokenAlg
	for name, value := range map[string]string{
		"nonce":   grant.Nonce,
		"sid":     grant.SessionID,
		"c_hash":  halfHash(algorithm, hashes.code),
		"at_hash": halfHash(algorithm, hashes.accessToken),
	} {
		if value != "" {
			claims[name] = value
		}
	}
	return p.keys.SignID(ctx, algorithm, claims)
}

// idTokenPerson returns the claims about the person that belong into the ID
// token: what the scopes stand for, and what the claims parameter names.
func (p *Provider) idTokenPerson(ctx context.Context, request fosite.Requester, own *session, user storage.User,
	hashes idTokenHashes) (map[string]any, error) {
	c := request.GetClient().(*client)
	scopes, named := idTokenSources(c, request.GetGrantedScopes(), own, hashes)
	claims := personClaims(user, scopes)
	if err := tellAccounts(ctx, p.elsewhere, claims, user.ID); err != nil {
		return nil, err
	}
	if !own.frontOnly { // what is not standard stays in user info: it can be long
		maps.DeleteFunc(claims, func(name string, _ any) bool { return claimScopes[name] == "" })
	}
	maps.Copy(claims, requestedClaims(named, "id_token", user, c.Scopes))
	groups, err := p.groupClaims(ctx, user, scopes, named, "id_token", c)
	maps.Copy(claims, groups)
	return claims, err
}

// idTokenSources returns the scopes and the claims parameter that may bring
// claims about the person into the ID token. Without an access token it is all,
// for there is no user info to ask. In a hybrid answer it is nothing: that ID
// token goes through the browser, and another one follows.
//
// Divergence: OpenID Connect Core 5.4 leaves what scopes stand for to user info
// wherever an access token is issued. Relying parties that never ask there, the
// Kubernetes API server among them, know people by the ID token alone, so that
// is for clients that are registered so.
func idTokenSources(c *client, granted []string, own *session, hashes idTokenHashes) (scopes []string, named string) {
	switch {
	case own.frontOnly:
		return granted, own.grant.Claims
	case hashes.accessToken == "":
		return nil, ""
	case c.LeanIDToken:
		return nil, own.grant.Claims
	}
	return granted, own.grant.Claims
}

// halfHash is the left half of the hash of a token, as at_hash wants it: of the hash that
// goes with the algorithm of the ID token, which of Ed25519 is SHA-512.
func halfHash(algorithm, token string) string {
	encode := base64.RawURLEncoding.EncodeToString
	switch {
	case token == "":
		return ""
	case algorithm == signing.EdDSA:
		sum := sha512.Sum512([]byte(token))
		return encode(sum[:len(sum)/2])
	}
	sum := sha256.Sum256([]byte(token))
	return encode(sum[:len(sum)/2])
}
