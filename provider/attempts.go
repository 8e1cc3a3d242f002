package provider

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

// attempts slows the guessing of passwords down. There is one count a typed
// name, whether somebody has it or not, which decides what the answer is; one an
// account, whichever of its names was typed (security note 2.5), which decides
// whether the password is looked at; and a wider one a network. A browser in
// which the person signed in before has a count of its own in place of the
// first two, so that a stranger who uses those up does not keep its owner out. A
// right password forgets the counts that it was counted in.
//
// All servers count together, in the database: whoever goes from one to the
// next, or waits for a start, gains nothing by it.
type attempts struct {
	ambient *ambient.Source
	store   storage.TryStore
	ring    *sealing.Ring
}

// An account allows ten tries at once and two a minute after that; a network,
// which many people may share, a hundred and one a second.
const (
	accountBurst = 10
	accountEvery = 30 * time.Second
	networkBurst = 100
	networkEvery = time.Second

	tryLabel = "sign-in try"
)

// try is one try to sign in.
type try struct {
	userID  string // empty: nobody has the name
	login   string // as it was typed
	browser string // id of a browser in which the user signed in before; empty: any other
	address string
}

// name is what the answer goes by. Names are folded as the store folds them.
func (t try) name() string {
	if t.browser != "" {
		return "browser " + t.browser
	}
	return "login " + textkey.Fold(t.login)
}

// account stands for all names of the account together, where there is one that
// strangers try.
func (t try) account() (name string, counted bool) {
	return "user " + t.userID, t.userID != "" && t.browser == ""
}

func (t try) network() string { return "network " + ratelimit.Key("", t.address) }

// names are what the try is counted by beside its network.
func (t try) names() []string {
	if account, counted := t.account(); counted {
		return []string{t.name(), account}
	}
	return []string{t.name()}
}

// key is what a name is counted by: somebody may have typed a password into the
// wrong field.
func (a *attempts) key(name string) []byte { return a.ring.MAC(tryLabel, []byte(name)) }

// begin counts a try, or refuses it with TooMany. Without room for the account
// the password must not be looked at, and the answer must be a wrong one's: that
// another name of the account used the tries up is for nobody to learn. The
// network is asked first: a try that it refuses must not use up the others'.
func (a *attempts) begin(ctx context.Context, one try) (look bool, err error) {
	if err := a.count(ctx, one.network(), networkEvery, networkBurst); err != nil {
		return false, err
	}
	if err := a.count(ctx, one.name(), accountEvery, accountBurst); err != nil {
		return false, err
	}
	account, counted := one.account()
	if !counted {
		return true, nil
	}
	return a.store.CountTry(ctx, a.key(account), a.ambient.Now(), accountBurst, accountEvery)
}

func (a *attempts) count(ctx context.Context, name string, every time.Duration, burst int) error {
	counted, err := a.store.CountTry(ctx, a.key(name), a.ambient.Now(), burst, every)
	if err != nil || counted {
		return err
	}
	return fault.New(fault.TooMany, "too_many_tries",
		"There were too many tries. Wait a minute, then try again.").After(every)
}

// untried takes back a try whose password nobody has looked at.
func (a *attempts) untried(ctx context.Context, one try) error {
	for _, name := range one.names() {
		if err := a.store.ReturnTry(ctx, a.key(name), accountEvery); err != nil {
			return err
		}
	}
	return a.store.ReturnTry(ctx, a.key(one.network()), networkEvery)
}

// succeeded forgets the tries that were counted with this one.
func (a *attempts) succeeded(ctx context.Context, one try) error {
	var keys [][]byte
	for _, name := range one.names() {
		keys = append(keys, a.key(name))
	}
	return a.store.ForgetTries(ctx, keys...)
}
