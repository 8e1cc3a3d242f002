package directory

import (
	"slices"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// Rules: LDAP-14, SERVER-53
func TestAHostRestsHalfAMinuteThoughTheClockIsPutRight(t *testing.T) {
	source, clock := ambient.Fixed(time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC), 1)
	r := &remote{ambient: source, config: Config{Hosts: []string{"a", "b"}}, rests: map[string]time.Duration{}}
	r.rest("a")
	for _, step := range []time.Duration{-time.Hour, 2 * time.Hour, -time.Hour} {
		clock.Step(step)
		if got := r.hosts(); !slices.Equal(got, []string{"b"}) {
			t.Errorf("stepped by %v: %q", step, got)
		}
	}
	clock.Step(-time.Hour)
	clock.Advance(restTime)
	if got := r.hosts(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("after a rest: %q", got)
	}
}
