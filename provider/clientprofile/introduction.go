package clientprofile

import (
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Introduction is another authorization server to which a client may introduce people
// who signed in to it here, by what this server signs for it
// (draft-ietf-oauth-identity-assertion-authz-grant).
type Introduction struct {
	Issuer   string   // of the other server
	ClientID string   // what the client is called there
	Scopes   []string // that may be asked for there; none: whatever that server gives
}

// ReadIntroduction reads one as it is kept: issuer, client id and scopes with spaces
// between them.
func ReadIntroduction(line string) (Introduction, error) {
	words := strings.Fields(line)
	if len(words) < 2 || strings.Join(words, " ") != line {
		return Introduction{}, errIntroduction
	}
	address, err := url.Parse(words[0])
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" ||
		address.RawQuery != "" || address.Fragment != "" || address.User != nil {
		return Introduction{}, errIntroduction
	}
	scopes, err := scope.Parse(strings.Join(words[2:], " "))
	return Introduction{Issuer: words[0], ClientID: words[1], Scopes: scopes}, err
}

var errIntroduction = fault.New(fault.Invalid, "invalid_field",
	"Name the issuer of the other server, the app's client id there and scopes, separated by single spaces.")

// IntroductionTo returns what a client may ask for at the other server; false when it may
// introduce nobody there.
func IntroductionTo(c storage.Client, issuer string) (Introduction, bool) {
	for _, line := range c.IntroducesTo {
		if one, err := ReadIntroduction(line); err == nil && one.Issuer == issuer {
			return one, true
		}
	}
	return Introduction{}, false
}

// CheckIntroductions holds them to one for each server.
func CheckIntroductions(lines []string) error {
	var issuers []string
	for _, line := range lines {
		one, err := ReadIntroduction(line)
		if err != nil {
			return err
		}
		if slices.Contains(issuers, one.Issuer) {
			return fault.New(fault.Invalid, "invalid_field", "A server can be named once.")
		}
		issuers = append(issuers, one.Issuer)
	}
	return nil
}
