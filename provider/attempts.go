package provider

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
)

// attempts slows the guessing of passwords down. There is one bucket an
// account, whichever spelling of its name was typed (security note 2.5), and a
// wider one an address. A right password fills its account's bucket again.
type attempts struct {
	ambient *ambient.Source

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// An account allows ten tries at once and two a minute after that; an address,
// which many people may share, a hundred and one a second.
const (
	accountBurst = 10
	accountEvery = 30 * time.Second
	addressBurst = 100
	addressEvery = time.Second
	maxBuckets   = 50_000
)

func newAttempts(source *ambient.Source) *attempts {
	return &attempts{ambient: source, buckets: map[string]*rate.Limiter{}}
}

// begin counts a try, or refuses it with TooMany. Without an account the typed
// name stands for one, folded as the store folds names.
func (a *attempts) begin(userID, login, address string) error {
	now := a.ambient.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	account := a.bucket(accountKey(userID, login), accountEvery, accountBurst, now)
	whole := a.bucket("address "+address, addressEvery, addressBurst, now)
	for _, b := range []struct {
		limiter *rate.Limiter
		every   time.Duration
	}{{account, accountEvery}, {whole, addressEvery}} {
		if !b.limiter.AllowN(now, 1) {
			return fault.New(fault.TooMany, "too_many_tries", "There were too many tries. Wait a minute, then try again.").After(b.every)
		}
	}
	return nil
}

// succeeded forgets the account's tries.
func (a *attempts) succeeded(userID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.buckets, accountKey(userID, ""))
}

func accountKey(userID, login string) string {
	if userID != "" {
		return "user " + userID
	}
	return "login " + textkey.Fold(login)
}

func (a *attempts) bucket(key string, every time.Duration, burst int, now time.Time) *rate.Limiter {
	if b, ok := a.buckets[key]; ok {
		return b
	}
	if len(a.buckets) >= maxBuckets {
		a.dropFull(now)
	}
	b := rate.NewLimiter(rate.Every(every), burst)
	a.buckets[key] = b
	return b
}

// dropFull makes room. A full bucket is as good as none; where none is full,
// any may go: memory is bounded even under an attack with many names.
func (a *attempts) dropFull(now time.Time) {
	for key, b := range a.buckets {
		if b.TokensAt(now) >= float64(b.Burst()) {
			delete(a.buckets, key)
		}
	}
	for key := range a.buckets {
		if len(a.buckets) < maxBuckets {
			return
		}
		delete(a.buckets, key)
	}
}
