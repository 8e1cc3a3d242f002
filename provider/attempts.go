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

// attempts slows the guessing of passwords down. There is one bucket a typed
// name, whether somebody has it or not, which decides what the answer is; one an
// account, whichever of its names was typed (security note 2.5), which decides
// whether the password is looked at; and a wider one a network. A browser in
// which the person signed in before has a bucket of its own in place of the
// first two, so that a stranger who empties those does not keep its owner out. A
// right password fills the buckets again that it was counted in.
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

// key names the bucket that the answer goes by. Names are folded as the store
// folds them.
func (t try) key() string {
	if t.browser != "" {
		return "browser " + t.browser
	}
	return "login " + textkey.Fold(t.login)
}

// account names the bucket of all names of the account together, where there is
// one that strangers fill.
func (t try) account() (key string, counted bool) {
	return "user " + t.userID, t.userID != "" && t.browser == ""
}

// begin counts a try, or refuses it with TooMany. Without room for the account
// the password must not be looked at, and the answer must be a wrong one's: that
// another name of the account used the tries up is for nobody to learn. The
// network is asked first: a try that it refuses must not use up the others'.
func (a *attempts) begin(one try) (look bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.count("network "+ratelimit.Key("", one.address), networkEvery, networkBurst); err != nil {
		return false, err
	}
	if err := a.count(one.key(), accountEvery, accountBurst); err != nil {
		return false, err
	}
	account, counted := one.account()
	return !counted || a.count(account, accountEvery, accountBurst) == nil, nil
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
	keys := []string{one.key()}
	if account, counted := one.account(); counted {
		keys = append(keys, account)
	}
	for _, key := range keys {
		delete(a.young, key)
		delete(a.old, key)
	}
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
