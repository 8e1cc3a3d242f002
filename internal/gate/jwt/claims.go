package jwt

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4/json"
)

// maxID is the longest jti that is taken, in characters.
const maxID = 255

// Claims are what every JWT may say (RFC 7519, 4.1). Times are Unix seconds,
// possibly with a fraction (section 2); nil: absent.
type Claims struct {
	Issuer    string   `json:"iss"`
	Subject   string   `json:"sub"`
	Audience  Strings  `json:"aud"`
	Expiry    *float64 `json:"exp"`
	IssuedAt  *float64 `json:"iat"`
	NotBefore *float64 `json:"nbf"`
	ID        *string  `json:"jti"`
}

// Strings is a JSON string, or an array of strings.
type Strings []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *Strings) UnmarshalJSON(body []byte) error {
	if body[0] != '"' {
		return json.Unmarshal(body, (*[]string)(s))
	}
	*s = make([]string, 1)
	return json.Unmarshal(body, &(*s)[0])
}

// MarshalJSON implements json.Marshaler: a list of one is a string.
func (s Strings) MarshalJSON() ([]byte, error) {
	if len(s) == 1 {
		return json.Marshal(s[0])
	}
	return json.Marshal([]string(s))
}

// Expected is what the claims of a token for one purpose are held against. Every
// field counts, but for IDNeeded.
type Expected struct {
	Issuer    string
	Subject   string
	Audiences []string      // one of them, and nobody else
	Now       time.Time     //
	Leeway    time.Duration // of iat, nbf and a past exp
	Longest   time.Duration // from now to exp
	IDNeeded  bool          // it has to have a jti
}

// The causes that the claims give.
const (
	CauseIssuer    Cause = "iss is not the id of the client that presents it"
	CauseSubject   Cause = "sub is not whom the key belongs to"
	CauseAudience  Cause = "aud is not exactly the expected one"
	CauseNoExpiry  Cause = "exp is missing"
	CauseExpired   Cause = "exp has passed"
	CauseExpiryFar Cause = "exp is too far from now"
	CauseIssuedAt  Cause = "iat is in the future"
	CauseNotBefore Cause = "nbf is in the future"
	CauseID        Cause = "jti is empty, too long or not text"
	CauseNoID      Cause = "jti is missing"
)

// Judge returns the first thing that is wrong with the claims.
func (c Claims) Judge(want Expected) error {
	switch {
	case c.Issuer != want.Issuer:
		return CauseIssuer
	case c.Subject != want.Subject:
		return CauseSubject
	case len(c.Audience) != 1 || !slices.Contains(want.Audiences, c.Audience[0]):
		return CauseAudience // an array that merely contains us was meant for others, too
	case c.ID == nil && want.IDNeeded:
		return CauseNoID
	case c.ID != nil && (*c.ID == "" || utf8.RuneCountInString(*c.ID) > maxID || strings.ContainsRune(*c.ID, 0)):
		return CauseID
	}
	return c.judgeTimes(want)
}

func (c Claims) judgeTimes(want Expected) error {
	now, leeway := float64(want.Now.UnixMicro())/1e6, want.Leeway.Seconds()
	switch {
	case c.Expiry == nil:
		return CauseNoExpiry
	case *c.Expiry < now-leeway:
		return CauseExpired
	case *c.Expiry > now+want.Longest.Seconds():
		return CauseExpiryFar
	case c.IssuedAt != nil && *c.IssuedAt > now+leeway:
		return CauseIssuedAt
	case c.NotBefore != nil && *c.NotBefore > now+leeway:
		return CauseNotBefore
	}
	return nil
}

// ExpiresAt returns the second in which the token has certainly expired. The
// claims must have been judged.
func (c Claims) ExpiresAt() time.Time { return time.Unix(int64(math.Ceil(*c.Expiry)), 0).UTC() }
