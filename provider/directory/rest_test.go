package directory

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// Rules: LDAP-14, SERVER-53
func TestAHostRestsHalfAMinuteThoughTheClockIsPutRight(t *testing.T) {
	source, clock := ambient.Fixed(time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC), 1)
	r := &remote{ambient: source, config: Config{Hosts: []string{"a", "b"}}, rests: map[string]time.Duration{}}
	r.rest("a", errors.New("it is down"))
	for _, step := range []time.Duration{-time.Hour, 2 * time.Hour, -time.Hour} {
		clock.Step(step)
		if got, _ := r.hosts(); !slices.Equal(got, []string{"b"}) {
			t.Errorf("stepped by %v: %q", step, got)
		}
	}
	clock.Step(-time.Hour)
	clock.Advance(restTime)
	if got, _ := r.hosts(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("after a rest: %q", got)
	}
}

// What ends a form or a request that takes too long has no end that is known before.
//
// Rule: LDAP-14
func TestAHostThatIsSilentUntilTheLimitRests(t *testing.T) {
	for why, rests := range map[error]bool{context.DeadlineExceeded: true, nil: false} {
		ctx, end := context.WithCancelCause(t.Context())
		r := newRemote(Config{Hosts: []string{"ldap://a.test"}}, "", ambient.System())
		r.dialer = func(context.Context, string, string) (net.Conn, error) {
			end(why)
			return nil, errors.New("nothing was said")
		}
		if _, err := r.reach(ctx); err == nil {
			t.Error("it is reached")
		}
		if left, _ := r.hosts(); (len(left) == 0) != rests {
			t.Errorf("ended by %v there are %q to ask", why, left)
		}
	}
}
