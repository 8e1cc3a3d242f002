package upstreams

import (
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/gate/jwt"
)

// The causes that ID tokens give.
const (
	causeIssuer      cause = "iss is not the upstream's issuer"
	causeTenant      cause = "tid is not a tenant whose people are let in"
	causeKeyIssuer   cause = "the key that signed it is another issuer's"
	causeHosted      cause = "hd is not an organisation whose people are let in"
	causeAudience    cause = "aud is not our client id"
	causeParty       cause = "azp is not our client id"
	causeNonce       cause = "nonce is not the one of the attempt"
	causeTime        cause = "it has expired, or is not of now"
	causeSubject     cause = "sub is missing, or what names the person or the session is too long"
	causeAccessToken cause = "at_hash is not that of the access token"
	causeOldSignIn   cause = "auth_time does not show the fresh sign-in that was asked for"
)

const (
	leeway     = time.Minute
	maxIDToken = 64 << 10
	maxSubject = 255
)

// idToken is what of an ID token counts.
type idToken struct {
	jwt.Claims
	Nonce      string         `json:"nonce"`
	Party      string         `json:"azp"`
	AccessHash string         `json:"at_hash"`
	AuthTime   float64        `json:"auth_time"`
	ACR        string         `json:"acr"`
	AMR        jwt.Strings    `json:"amr"` // some tell a lone one without a list
	SID        string         `json:"sid"`
	Tenant     string         `json:"tid"`
	Object     string         `json:"oid"`
	Hosted     string         `json:"hd"`
	Events     map[string]any `json:"events"`
	Described
}

// Described is what an upstream tells of a person, in an ID token or as user info.
type Described struct {
	Email         string `json:"email"`
	EmailVerified any    `json:"email_verified"` // Apple writes it as text
	EdOV          any    `json:"xms_edov"`       // Entra's: the owner of the domain was checked
	Name          string `json:"name"`
	GivenName     string `json:"given_name"`
	FamilyName    string `json:"family_name"`
}

// open returns the claims of a token that the upstream signed, and nobody else.
func (r *remote) open(ctx context.Context, token string, types ...string) (idToken, []byte, error) {
	var claims idToken
	var issuers map[string]string
	use := jwt.Use{Types: types, Algorithms: algorithms(), Longest: maxIDToken,
		Key: func(ctx context.Context, header jwt.Header) (crypto.PublicKey, error) {
			set, err := r.keysFor(ctx, header.Known)
			issuers = set.issuers
			return jwt.Fitting(set.keys, header), err
		}}
	header, payload, err := use.Open(ctx, token)
	if err == nil {
		err = jwt.Read(payload, &claims)
	}
	if err != nil {
		return claims, nil, err
	}
	if err := r.ofIssuer(claims, issuers[header.KeyID]); err != nil {
		return claims, nil, err
	}
	return claims, payload, r.forUs(claims)
}

func algorithms() []string { return []string{"RS256", "PS256", "ES256", "EdDSA"} }

// ofIssuer holds the token to the issuer, and where that has tenants to ours.
func (r *remote) ofIssuer(claims idToken, keyIssuer string) error {
	want := strings.Replace(r.config.Issuer, tenantMark, claims.Tenant, 1)
	templated := want != r.config.Issuer
	switch {
	case claims.Issuer != want || templated && claims.Tenant == "":
		return causeIssuer
	case len(r.config.Tenants) > 0 && !slices.Contains(r.config.Tenants, claims.Tenant):
		return causeTenant
	case keyIssuer != "" && strings.Replace(keyIssuer, tenantMark, claims.Tenant, 1) != want:
		return causeKeyIssuer
	case len(r.config.Hosted) > 0 && !slices.Contains(r.config.Hosted, claims.Hosted):
		return causeHosted
	}
	return nil
}

// hasTenant reports whether the upstream is Entra and the tenant one of its: elsewhere
// claims of these names are any text.
func (c Config) hasTenant(tenant string) bool {
	return tenant != "" && (slices.Contains(c.Tenants, tenant) || strings.Contains(c.Issuer, "/"+tenant+"/"))
}

// forUs holds the token to being meant for the client that we are there.
func (r *remote) forUs(claims idToken) error {
	switch {
	case !slices.Contains(claims.Audience, r.config.ClientID):
		return causeAudience
	case claims.Party != "" && claims.Party != r.config.ClientID, len(claims.Audience) > 1 && claims.Party == "":
		return causeParty
	}
	return nil
}

// ofAttempt holds an ID token to the visit that it answers, and the sign-in to how old it may
// be; negative: as old as it is. One that has just been asked for is young enough.
func (c idToken) ofAttempt(nonce, accessToken string, now time.Time, within time.Duration) error {
	seconds := float64(now.UnixMilli()) / 1e3
	slack := leeway.Seconds()
	switch {
	case c.Nonce != nonce:
		return causeNonce
	case c.Expiry == nil || *c.Expiry < seconds-slack || c.IssuedAt == nil || math.Abs(seconds-*c.IssuedAt) > 600+slack,
		c.NotBefore != nil && *c.NotBefore > seconds+slack:
		return causeTime
	case c.Subject == "" || !c.short():
		return causeSubject
	case c.AccessHash != "" && !halfHashed(accessToken, c.AccessHash):
		return causeAccessToken
	case within >= 0 && seconds-c.AuthTime > max(300, within.Seconds()):
		return causeOldSignIn
	}
	return nil
}

// short reports whether what names person and session can be kept as it is: cut off, it
// could be another's.
func (c idToken) short() bool {
	return max(len(c.Subject), len(c.Object), len(c.Tenant), len(c.SID)) <= maxSubject
}

// halfHashed reports whether it is the at_hash of the token (OpenID Connect Core
// 3.1.3.6), whose length goes with the algorithm: EdDSA's is the longer one.
func halfHashed(token, hash string) bool {
	short, long := sha256.Sum256([]byte(token)), sha512.Sum512([]byte(token))
	encode := base64.RawURLEncoding.EncodeToString
	return hash == encode(short[:16]) || hash == encode(long[:32])
}

// is reports whether a claim says yes: true, or as Apple and Entra write it.
func is(claim any) bool { return slices.Contains([]any{true, "true", "1", 1.0}, claim) }

// denies reports whether a claim says no, which is more than to say nothing.
func denies(claim any) bool { return slices.Contains([]any{false, "false", "0", 0.0}, claim) }
