package provider

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/textkey"
)

// attempts slows the guessing of passwords down. There is one bucket an
// account, whichever spelling of its name was typed (security note 2.5), and a
// wider one a network. A browser in which the person signed in before has a
// bucket of its own, so that a stranger who empties the account's does not keep
// its owner out. A right password fills the bucket again that it was counted in.
//
// The buckets live in two generations: once the young one is full it becomes
// the old one, whose buckets move over when they are asked for again. So
// memory is bounded, and making room costs nothing.
type attempts struct {
	ambient *ambient.Source

	mu         sync.Mutex
	young, old map[string]*rate.Limiter
}

// An account allows ten tries at once and two a minute after that; a network,
// which many people may share, a hundred and one a second.
const (
	accountBurst  = 10
	accountEvery  = 30 * time.Second
	networkBurst  = 100
	networkEvery  = time.Second
	maxGeneration = 25_000
)

func newAttempts(source *ambient.Source) *attempts {
	return &attempts{ambient: source, young: map[string]*rate.Limiter{}}
}

// try is one try to sign in.
type try struct {
	userID  string // empty: nobody has the name
	login   string // as it was typed
	browser string // id of a browser in which the user signed in before; empty: any other
	address string
}

// key names the bucket of what is tried. Without an account the typed name
// stands for one, folded as the store folds names.
func (t try) key() string {
	switch {
	case t.browser != "":
		return "browser " + t.browser
	case t.userID != "":
		return "user " + t.userID
	}
	return "login " + textkey.Fold(t.login)
}

// begin counts a try, or refuses it with TooMany. The network is asked first:
// a try that it refuses must not use up the account's.
func (a *attempts) begin(one try) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.count("network "+ratelimit.Key("", one.address), networkEvery, networkBurst); err != nil {
		return err
	}
	return a.count(one.key(), accountEvery, accountBurst)
}

func (a *attempts) count(key string, every time.Duration, burst int) error {
	if a.bucket(key, every, burst).AllowN(a.ambient.Now(), 1) {
		return nil
	}
	return fault.New(fault.TooMany, "too_many_tries", "There were too many tries. Wait a minute, then try again.").After(every)
}

// succeeded forgets the tries that were counted with this one.
func (a *attempts) succeeded(one try) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.young, one.key())
	delete(a.old, one.key())
}

func (a *attempts) bucket(key string, every time.Duration, burst int) *rate.Limiter {
	if b, ok := a.young[key]; ok {
		return b
	}
	if len(a.young) >= maxGeneration {
		a.young, a.old = map[string]*rate.Limiter{}, a.young
	}
	b, ok := a.old[key]
	if !ok {
		b = rate.NewLimiter(rate.Every(every), burst)
	}
	delete(a.old, key)
	a.young[key] = b
	return b
}
