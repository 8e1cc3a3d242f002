package scope

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Limits of the scope parameter (S1 section 8).
const (
	MaxLength = 2000 // characters of the whole list
	MaxCount  = 50   // scopes in it, repeated ones counted once
)

// Reason is the reason of every fault of this package (RFC 6749 section 5.2).
const Reason = "invalid_scope"

// Parse reads a space-delimited list of scopes (RFC 6749 section 3.3) and
// returns them in the order given, each once. An empty list gives none. It
// does not ask whether the scopes exist. The fault is Invalid, with Reason and
// the source "scope".
func Parse(list string) ([]string, error) {
	if len(list) > MaxLength {
		return nil, invalidf("The scope list is longer than %d characters.", MaxLength)
	}
	var scopes []string
	for _, name := range strings.Split(list, " ") {
		if name == "" || slices.Contains(scopes, name) {
			continue
		}
		if !isToken(name) {
			return nil, invalidf("The scope list contains a character that no scope may have; scopes are separated by single spaces.")
		}
		if len(scopes) == MaxCount {
			return nil, invalidf("The scope list has more than %d scopes.", MaxCount)
		}
		scopes = append(scopes, name)
	}
	return scopes, nil
}

// Format writes scopes as Parse reads them.
func Format(scopes []string) string { return strings.Join(scopes, " ") }

// Registered reports whether a client that is registered for the given scopes
// may ask for the one. The literal data:read: stands for every
// data:read:<URN>, and so does data:read, which opens more than any of them.
func Registered(registered []string, name string) bool {
	return holds(registered, name) ||
		namesResource(name) && slices.Contains(registered, DataReadOf)
}

// Within reports whether the scopes open nothing that granted does not. Here
// the literal data:read: stands only for itself: it opens nothing, so a token
// that carries it must not grow into one for a resource.
func Within(scopes, granted []string) bool {
	return len(Beyond(scopes, granted)) == 0
}

// Beyond returns those of scopes that open something granted does not, in
// their order.
func Beyond(scopes, granted []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(name string) bool {
		return holds(granted, name)
	})
}

// Union returns the scopes of a and then those that only b has, each once.
func Union(a, b []string) []string {
	var all []string
	for _, name := range slices.Concat(a, b) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

const (
	// at stands between a scope and the resource that it is of; neither can hold it.
	at = `\`

	// since stands before when a resource succeeded another one at its address: no address
	// has a fragment.
	since = "#"
)

// At returns how consent to the scope of a resource is remembered. What was allowed to another
// one that had its address before is not allowed to it; succeeds is zero where there was none.
func At(name, resource string, succeeds time.Time) string {
	if succeeds.IsZero() {
		return name + at + resource
	}
	return name + at + resource + since + strconv.FormatInt(succeeds.Unix(), 10)
}

// Of takes apart what At put together, but for when the resource came to its address; false:
// it is no scope of a resource.
func Of(remembered string) (name, resource string, ofResource bool) {
	name, resource, ofResource = strings.Cut(remembered, at)
	resource, _, _ = strings.Cut(resource, since)
	return name, resource, ofResource
}

func holds(scopes []string, name string) bool {
	return slices.Contains(scopes, name) ||
		namesResource(name) && slices.Contains(scopes, DataRead)
}

func invalidf(format string, args ...any) error {
	return fault.Newf(fault.Invalid, Reason, format, args...).At("scope")
}
