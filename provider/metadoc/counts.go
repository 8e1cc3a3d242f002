package metadoc

import (
	"context"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// whose is the word that the policy begins with.
func whose(hosts string) string {
	first, _, _ := strings.Cut(hosts, " ")
	return first
}

// Counts reports whether, by the word of the policy, a client of the origin may do anything:
// its document counts, or no document describes it.
func Counts(hosts, origin string) bool {
	if !clientprofile.Described(origin) {
		return true
	}
	words, host := strings.Fields(hosts), clientprofile.DocumentHost(origin)
	if slices.Contains(words, not+origin) || slices.ContainsFunc(within(host), func(name string) bool {
		return slices.Contains(words, not+name)
	}) {
		return false
	}
	return whose(hosts) == All || whose(hosts) != Off && slices.Contains(words, host)
}

// within are the names that block a host: its own and those of the domains that it is in,
// for whoever has one of them has as many hosts below it as they like; each with the port
// and without, where it is blocked at all ports.
func within(host string) (names []string) {
	for below := true; below; _, host, below = strings.Cut(host, ".") {
		name, _, _ := strings.Cut(host, ":")
		names = append(names, host, name)
	}
	return names
}

// Counts is the function Counts by the policy of the moment.
func (d *Documents) Counts(origin string) bool { return Counts(d.with.Hosts(), origin) }

// standing are tokens of which those of clients whose documents don't count are no good.
type standing struct {
	bearer.Tokens
	hosts func() string
}

// Standing returns the tokens; those of clients whose documents don't count by the policy
// of the moment, which is in hosts, are ended for as long as that is so.
func Standing(tokens bearer.Tokens, hosts func() string) bearer.Tokens {
	return standing{tokens, hosts}
}

// TokenState implements bearer.Tokens.
func (s standing) TokenState(ctx context.Context, query storage.TokenQuery) (storage.TokenState, error) {
	state, err := s.Tokens.TokenState(ctx, query)
	if err == nil && clientprofile.Described(state.Origin) && !Counts(s.hosts(), state.Origin) {
		return storage.TokenState{}, nil
	}
	return state, err
}
