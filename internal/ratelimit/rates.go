package ratelimit

import (
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// Class is a kind of call with a limit of its own.
type Class string

// The classes that S1 section 8 limits, and those of ours.
const (
	Authorize  Class = "authorize"
	Token      Class = "token"
	Introspect Class = "introspect"
	Logout     Class = "logout"
	Revoke     Class = "revoke"
	Accounts   Class = "accounts" // forms of people who are not signed in and have mails sent
	Apps       Class = "apps"     // apps that a person registers
	Register   Class = "register" // clients that register themselves
	SCIM       Class = "scim"     // of a connection, by which a company sends its people
)

// Rates says how many calls a minute a class may make; 0 or absent: any number.
type Rates map[Class]int

// maxRate is more than any server answers: one call a microsecond.
const maxRate = 60_000_000

// DefaultRates returns the specification's (S1 section 8), and ours.
func DefaultRates() Rates {
	return Rates{Authorize: 500, Token: 500, Introspect: 500, Logout: 500, Revoke: 100, Accounts: 10, Apps: 10,
		Register: 10, SCIM: 3000}
}

// ParseRates reads a setting: "on" for the specification's rates, "off" for no
// limits (the result is nil), or the rates that differ from the
// specification's, as in "token=2000,revoke=0".
func ParseRates(setting string) (Rates, error) {
	switch setting {
	case "on":
		return DefaultRates(), nil
	case "off":
		return nil, nil
	}
	rates := DefaultRates()
	for part := range strings.SplitSeq(setting, ",") {
		name, text, _ := strings.Cut(strings.TrimSpace(part), "=")
		rate, err := strconv.Atoi(text)
		if _, known := rates[Class(name)]; !known || err != nil {
			return nil, fault.Newf(fault.Invalid, "", "Expected on, off, or a list as in token=2000,revoke=0, of %s.",
				strings.Join(classes(rates), ", "))
		}
		rates[Class(name)] = rate
	}
	return rates, rates.check()
}

func (r Rates) check() error {
	for class, rate := range r {
		if rate < 0 || rate > maxRate {
			return fault.Newf(fault.Invalid, "", "The rate of %s must be 0 to %d calls a minute, not %d.", class, maxRate, rate)
		}
	}
	return nil
}

func classes(r Rates) []string {
	var names []string
	for _, class := range slices.Sorted(maps.Keys(r)) {
		names = append(names, string(class))
	}
	return names
}

// Key names a client at a network address; either may be empty. An IPv6 address
// counts with its /64: that is what one subscriber has, and may choose freely
// from.
func Key(clientID, address string) string {
	if address == "" {
		return clientID
	}
	return clientID + "@" + Network(address)
}

// Network names what counts together with a network address.
func Network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil || a.Unmap().Is4() {
		return address
	}
	prefix, err := a.WithZone("").Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}
