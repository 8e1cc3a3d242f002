package serviceaccounts

import (
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Bounds of the length of a name (decision SA3: S1 states both upper ones).
const (
	minName    = 5
	maxOwnName = 64  // of an account that an app creates for itself
	maxName    = 100 // of one that is created on behalf of another app
)

// Reasons of the faults of this package that are titles on the wire (S1 7.1).
const (
	ReasonInvalidRequest = "invalid_request"
	ReasonInvalidClient  = "invalid_client"
	ReasonLimitExceeded  = storage.ReasonLimitExceeded
)

func invalid(detail string) *fault.Error {
	return fault.New(fault.Invalid, ReasonInvalidRequest, detail)
}

// checkName holds a name to the rules of S1 4.2.
func checkName(name string, longest int) error {
	length := utf8.RuneCountInString(name)
	switch {
	case name == "":
		return invalid("The name is empty.")
	case length < minName || length > longest:
		return fault.Newf(fault.Invalid, ReasonInvalidRequest, "The name must have %d to %d characters, not %d.",
			minName, longest, length)
	case strings.ContainsFunc(name, func(c rune) bool { return !isAlphanumeric(c) && c != '-' }):
		return invalid("The name has invalid characters: it may hold the letters A to Z and a to z, digits and dashes.")
	case !strings.ContainsFunc(name, isAlphanumeric):
		return invalid("The name lacks an alphanumeric character.")
	}
	return nil
}

func isAlphanumeric(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// address returns the e-mail style address of an account (S1 2.10).
func address(name, clientID, domain string) string {
	return name + "@" + clientID + "." + domain
}

// transition returns the state that an account in one state is in after
// somebody wanted another (S1 section 3).
func transition(status, want storage.ServiceAccountStatus) (storage.ServiceAccountStatus, error) {
	switch {
	case want != storage.ServiceAccountEnabled && want != storage.ServiceAccountDisabled:
		return status, invalidStatus()
	case status == want && want == storage.ServiceAccountEnabled:
		return status, invalid("The service account is already in an enabled state.")
	case status == want:
		return status, invalid("The service account is already in a disabled state.")
	}
	return want, nil
}

// keyTransition is transition for a key.
func keyTransition(status, want storage.KeyStatus) (storage.KeyStatus, error) {
	switch {
	case want != storage.KeyEnabled && want != storage.KeyDisabled:
		return status, invalidStatus()
	case status == want && want == storage.KeyEnabled:
		return status, invalid("The key is already enabled.")
	case status == want:
		return status, invalid("The key is already disabled.")
	}
	return want, nil
}

func invalidStatus() error {
	return invalid("The status must be ENABLED or DISABLED.").At("/status")
}
