package serviceaccounts

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4/json"

	"github.com/portico-id/portico/internal/httpio"
)

// Bounds of the times of an assertion (S1 section 8, decision T9).
const (
	longestLife = 5*time.Minute + 5*time.Second // from now to exp
	leeway      = 30 * time.Second              // of iat, nbf and a past exp
)

// maxJTI is the longest jti that is kept, in characters.
const maxJTI = 255

// cause says why an assertion is refused, for the log and for the client's
// owner; the wire has fewer words. It never quotes the assertion.
type cause string

// Error implements error.
func (c cause) Error() string { return string(c) }

// The causes that the claims give.
const (
	causeClaims    cause = "the claims are not a JSON object of the expected types"
	causeIssuer    cause = "iss is not the id of the client that presents the assertion"
	causeSubject   cause = "sub is not the id of the account that the key belongs to"
	causeAudience  cause = "aud is not exactly the URL of the token endpoint"
	causeNoExpiry  cause = "exp is missing"
	causeExpired   cause = "exp has passed"
	causeExpiryFar cause = "exp is more than five minutes from now"
	causeIssuedAt  cause = "iat is in the future"
	causeNotBefore cause = "nbf is in the future"
	causeScope     cause = "scope is not a list of scope names"
	causeJTI       cause = "jti is empty, too long or not text"
)

// claims are what an assertion says (S1 section 5). Times are Unix seconds,
// possibly with a fraction (RFC 7519 section 2); nil: absent.
type claims struct {
	Issuer    string     `json:"iss"`
	Subject   string     `json:"sub"`
	Audience  oneOrMore  `json:"aud"`
	Expiry    *float64   `json:"exp"`
	IssuedAt  *float64   `json:"iat"`
	NotBefore *float64   `json:"nbf"`
	JTI       *string    `json:"jti"`
	Scope     *oneOrMore `json:"scope"`
}

// oneOrMore is a JSON string, or an array of strings.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrMore) UnmarshalJSON(body []byte) error {
	if body[0] != '"' {
		return json.Unmarshal(body, (*[]string)(o))
	}
	*o = make([]string, 1)
	return json.Unmarshal(body, &(*o)[0])
}

// readClaims reads the payload with the decoder for signed things: encoding/json
// would take EXP for exp, and the last of several exp.
func readClaims(payload []byte) (claims, error) {
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return c, causeClaims
	}
	return c, nil
}

// expected is what the claims are held against.
type expected struct {
	clientID  string
	accountID string
	audiences []string
	now       time.Time
}

// judge returns the first thing that is wrong with the claims.
func (c claims) judge(want expected) error {
	switch {
	case c.Issuer != want.clientID:
		return causeIssuer
	case c.Subject != want.accountID:
		return causeSubject
	case len(c.Audience) != 1 || !slices.Contains(want.audiences, c.Audience[0]):
		return causeAudience // an array that merely contains the URL was meant for others, too
	case c.JTI != nil && (*c.JTI == "" || utf8.RuneCountInString(*c.JTI) > maxJTI || !httpio.IsText(*c.JTI)):
		return causeJTI
	}
	if err := c.judgeTimes(seconds(want.now)); err != nil {
		return err
	}
	_, err := c.scopes()
	return err
}

func (c claims) judgeTimes(now float64) error {
	switch {
	case c.Expiry == nil:
		return causeNoExpiry
	case *c.Expiry < now-leeway.Seconds():
		return causeExpired
	case *c.Expiry > now+longestLife.Seconds():
		return causeExpiryFar
	case c.IssuedAt != nil && *c.IssuedAt > now+leeway.Seconds():
		return causeIssuedAt
	case c.NotBefore != nil && *c.NotBefore > now+leeway.Seconds():
		return causeNotBefore
	}
	return nil
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// expiresAt returns the second in which the assertion has certainly expired.
// The claims must have been judged.
func (c claims) expiresAt() time.Time {
	return time.Unix(int64(math.Ceil(*c.Expiry)), 0).UTC()
}

// scopes returns the names in the scope claim: an array of names (S1 section
// 5), or one string with spaces between them. Which names exist is for the
// token endpoint to say.
func (c claims) scopes() ([]string, error) {
	if c.Scope == nil {
		return nil, causeScope
	}
	names := []string(*c.Scope)
	if len(names) == 1 {
		names = strings.Fields(names[0])
	}
	bad := func(name string) bool { return name == "" || strings.ContainsAny(name, " \t\r\n") }
	if len(names) == 0 || slices.ContainsFunc(names, bad) {
		return nil, causeScope
	}
	return names, nil
}
