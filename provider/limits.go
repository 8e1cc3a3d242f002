package provider

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
)

// Calls are counted by whoever can be held to them (decision T12): a client
// that has proven itself wherever it calls from, everybody else at one network
// address. Nobody can use up the calls of a client whose secret they lack.

// counter counts calls against the limits.
type counter struct{ limits *ratelimit.Limits }

// client counts a call of a proven client.
func (n counter) client(ctx context.Context, answer http.Header, class ratelimit.Class, c *client) error {
	if c.Public() {
		return n.at(ctx, answer, class, c.ID)
	}
	return n.count(ctx, answer, class, ratelimit.Key(c.ID, ""))
}

// at counts a call that anybody could have made in the name of the client.
// The id must be a registered client's or empty: names that callers make up
// would each come with calls of their own.
func (n counter) at(ctx context.Context, answer http.Header, class ratelimit.Class, clientID string) error {
	return n.count(ctx, answer, class, ratelimit.Key(clientID, httpio.From(ctx).Address))
}

// count counts a call; its answer says what is left, whatever else it says.
func (n counter) count(ctx context.Context, answer http.Header, class ratelimit.Class, key string) error {
	standing, err := n.limits.Allow(ctx, class, key)
	if standing.Limit > 0 {
		httpio.SetRateLimit(answer, string(class), standing.Limit, standing.Left, standing.Reset)
	}
	return err
}

// failed counts a failed authentication and returns why it failed, or that
// there were too many. Our own failures are nobody's.
func (n counter) failed(ctx context.Context, answer http.Header, class ratelimit.Class,
	clientID string, failure error) error {
	if f := fault.From(failure); f.Kind == fault.Internal || f.Kind == fault.Unavailable {
		return failure
	}
	if over := n.at(ctx, answer, class, clientID); over != nil {
		return over
	}
	return failure
}
