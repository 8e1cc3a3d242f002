package serviceaccounts

import (
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/gate/jwt"
)

// Bounds of the times of an assertion (S1 section 8, decision T9).
const (
	longestLife = 5*time.Minute + 5*time.Second // from now to exp
	leeway      = 30 * time.Second              // of iat, nbf and a past exp
)

// causeScope is the cause that the claims of an assertion give beside those of
// every JWT.
const causeScope jwt.Cause = "scope is not a list of scope names"

// claims are what an assertion says (S1 section 5).
type claims struct {
	jwt.Claims
	Scope *jwt.Strings `json:"scope"`
}

func readClaims(payload []byte) (c claims, err error) {
	err = jwt.Read(payload, &c)
	return c, err
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
	err := c.Judge(jwt.Expected{
		Issuer: want.clientID, Subject: want.accountID, Audiences: want.audiences,
		Now: want.now, Leeway: leeway, Longest: longestLife,
	})
	if err == nil {
		_, err = c.scopes()
	}
	return err
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
