package e2e

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// wrongClock is the machine's clock, put off by as much as is asked for.
type wrongClock struct{ off atomic.Int64 }

func (c *wrongClock) source() *ambient.Source {
	return ambient.New(func() time.Time { return time.Now().Add(time.Duration(c.off.Load())) }, ambient.System().Random())
}

// Rule: SERVER-53
func TestAClockThatIsSteppedLosesNothing(t *testing.T) {
	t.Parallel()
	eachEngine(t, stepClock)
}

func stepClock(t *testing.T, database string) {
	clock := new(wrongClock)
	right := start(t, database)
	wrong := newSite(t, "")
	wrong.environ, wrong.clock = append(right.environ, "PORTICO_BASE_URL="+right.URL), clock.source()
	wrong.run()
	both := []*site{right, wrong}
	p := newProbes(right)
	token := p.refresh
	for _, step := range []time.Duration{10 * time.Minute, -10 * time.Minute, time.Hour, -time.Hour} {
		clock.off.Store(int64(step))
		for name, request := range p.all() {
			if got := must(try(wrong.plain, request())); got.Status >= http.StatusInternalServerError {
				t.Errorf("%v off, %s: %d %s", step, name, got.Status, got.Body)
			}
		}
		for _, at := range both { // it may refuse, but not spoil
			if got := at.refresh(p.app, token); got.Status == http.StatusOK {
				token = got.text("refresh_token")
			} else if got.Status >= http.StatusInternalServerError {
				t.Errorf("%v off, refreshing: %d %s", step, got.Status, got.Body)
			}
		}
		clock.off.Store(0)
		for i, at := range both {
			var got answer
			eventually(t, 5*time.Second, "refreshing", func() bool {
				got = at.refresh(p.app, token)
				return got.Status == http.StatusOK
			})
			token = got.text("refresh_token")
			for j, other := range both {
				if got := other.userInfo(got.text("access_token")); got.Status != http.StatusOK {
					t.Errorf("after %v, a token of server %d at %d: %d %s", step, i, j, got.Status, got.Body)
				}
			}
			if got := must(try(at.plain, p.signIn(password))); got.Status != http.StatusSeeOther {
				t.Errorf("after %v, signing in: %d", step, got.Status)
			}
		}
	}
}
