// Package resources is the services that access tokens are for (RFC 8707): which there
// are, which client may have tokens for which, with what scopes, and what is demanded
// of whoever brings one.
//
// Our own APIs are one of them, whether or not somebody has registered their address;
// whoever does so says what more is demanded there. How tokens are signed and judged is
// not here (internal/gate/signing, internal/gate/bearer), nor what endpoints make of a
// request for one (provider), nor how one is registered. Start at Registry for what the
// endpoints ask, at Target for what follows from resources that were asked for.
package resources

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// ReasonTarget is the reason of the faults of what is asked for (RFC 8707, 2).
const ReasonTarget = "invalid_target"

// MaxAsked is how many resources one request may name.
const MaxAsked = 8

// Resource is one of them.
type Resource struct {
	storage.Resource
	Ours bool // our own APIs

	Succeeds time.Time // until when another had its address; zero: none had
}

// Target is the resources that a token is asked for; none: our own APIs.
type Target []Resource

// Identifiers are the addresses of the resources, as they are registered.
func (t Target) Identifiers() []string {
	var all []string
	for _, r := range t {
		all = append(all, r.Identifier)
	}
	return all
}

// lists reports whether one of the resources has the scope.
func (t Target) lists(name string) bool {
	return slices.ContainsFunc(t, func(r Resource) bool { return scope.Registered(r.Scopes, name) })
}

// MayAsk returns the scopes that a client may ask for which is registered for some: of
// those the ones that the resources have, and those about the person, which no resource
// has; and what only the resources know, for they say who may have it.
func (t Target) MayAsk(registered []string) []string {
	if len(t) == 0 {
		return registered
	}
	all := slices.DeleteFunc(slices.Clone(registered),
		func(name string) bool { return !scope.Identity(name) && !t.lists(name) })
	for _, r := range t {
		all = append(all, slices.DeleteFunc(slices.Clone(r.Scopes), scope.Known)...)
	}
	return all
}

// Held returns those of the scopes that a token for the resources says. They are the
// caller's own, to go on with: what comes in may be a client's, which many use at once.
func (t Target) Held(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(name string) bool { return len(t) > 0 && !t.lists(name) })
}

// Default returns what a request is given that names none of the resources' scopes: as
// they have it, or else of what the client has by itself.
func (t Target) Default(own []string) []string {
	var all []string
	for _, r := range t {
		all = scope.Union(all, r.DefaultScopes)
	}
	if len(all) == 0 {
		return t.Held(own)
	}
	return all
}

// Completed returns the scopes that are asked for: with the default where none is of
// the resources.
func (t Target) Completed(asked, own []string) []string {
	if len(asked) > 0 && (len(t) == 0 || len(t.Held(asked)) > 0) {
		return asked
	}
	return scope.Union(asked, t.Default(own))
}

// Consents returns the scopes as a person's consent to them is remembered: those of a
// resource together with its address, for two may call different things the same.
func (t Target) Consents(scopes []string) []string {
	var all []string
	for _, name := range scopes {
		of := t.consentsTo(name)
		if len(of) == 0 {
			of = []string{name} // ours, or about the person
		}
		all = append(all, of...)
	}
	return all
}

func (t Target) consentsTo(name string) (all []string) {
	for _, r := range t {
		switch {
		case !scope.Registered(r.Scopes, name):
		case r.Ours:
			all = append(all, name)
		default:
			all = append(all, scope.At(name, r.Identifier, r.Succeeds))
		}
	}
	return all
}

// Lifetime returns how long tokens for the resources live that would live so long
// otherwise.
func (t Target) Lifetime(most time.Duration) time.Duration {
	for _, r := range t {
		if r.Lifetime > 0 {
			most = min(most, r.Lifetime)
		}
	}
	return most
}

// ACR returns how strongly people have to have been proven of whom tokens for the
// resources speak; empty: somehow.
func (t Target) ACR() (acr string) {
	for _, r := range t {
		acr = max(acr, r.ACR) // they are in the order of their strength
	}
	return acr
}

// MaxAge returns how long ago at most; 0: whenever.
func (t Target) MaxAge() (most time.Duration) {
	for _, r := range t {
		most = sooner(most, r.MaxAge)
	}
	return most
}

// sooner is the shorter of two spans, of which 0 is none.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Satisfied reports whether somebody is proven as the resources demand who was proven so
// strongly, and then: either way from now, for their clock may have been ahead.
func (t Target) Satisfied(acr string, then, now time.Time) bool {
	age := t.MaxAge()
	return acr >= t.ACR() && (age == 0 || now.Sub(then).Abs() <= age)
}

// Algorithm returns what tokens for the resources are signed with: as the first says
// that says anything, or as the client's are.
func (t Target) Algorithm(own string) string {
	for _, r := range t {
		if r.Algorithm != "" {
			return r.Algorithm
		}
	}
	return own
}

// ProofNeeded reports whether one of the resources takes no tokens but those that are
// bound to a key or a certificate.
func (t Target) ProofNeeded() bool {
	return slices.ContainsFunc(t, func(r Resource) bool { return r.ProofNeeded })
}

// Key returns what the address of a resource is compared by: scheme and host in lower
// case, and without a slash that stands alone behind them. It is Invalid, ReasonTarget,
// unless it is an absolute URI without a fragment.
func Key(identifier string) (string, error) {
	u, err := url.Parse(identifier)
	if err != nil || !u.IsAbs() || strings.Contains(identifier, "#") || len(identifier) > maxIdentifier ||
		strings.ContainsFunc(identifier, outsideURI) || u.User != nil || u.Opaque == "" && u.Host == "" && u.Path == "" {
		return "", fault.New(fault.Invalid, ReasonTarget,
			"A resource is named by an absolute URI without a fragment.").Because(err)
	}
	scheme, rest, _ := strings.Cut(identifier, ":")
	scheme = strings.ToLower(scheme)
	authority, found := strings.CutPrefix(rest, "//")
	if !found {
		return scheme + ":" + rest, nil
	}
	host, path := authority, ""
	if i := strings.IndexAny(authority, "/?"); i >= 0 {
		host, path = authority[:i], authority[i:]
	}
	if path == "/" {
		path = ""
	}
	return scheme + "://" + strings.ToLower(host) + path, nil
}

const maxIdentifier = 500

// outsideURI reports whether a URI can't hold the character (RFC 3986, 2).
func outsideURI(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"<>\\^{|}`+"`", c) }
