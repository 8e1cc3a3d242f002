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
	name, _, _ := strings.Cut(host, ":")
	for _, blocked := range []string{origin, host, name} { // a host that is blocked is at all its ports
		if slices.Contains(words, not+blocked) {
			return false
		}
	}
	return whose(hosts) == All || whose(hosts) != Off && slices.Contains(words, host)
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
