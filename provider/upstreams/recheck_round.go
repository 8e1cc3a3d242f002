package upstreams

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Who is signed in here without an app that goes on is asked about by rounds. A claim
// (ClaimRecheck) makes each question one server's.

const (
	// RecheckEvery is how often there is a round. It asks as much ahead, so that whoever
	// is gone there is out here within what recheck says.
	RecheckEvery = 20 * time.Second

	recheckAtOnce = 4   // questions at one upstream
	recheckPage   = 100 // people
	recheckMost   = 500 // people a round of whom the upstream has said nothing for too long
	roundBudget   = 2 * callTimeout
)

// Recheck asks upstreams about those who are signed in by them, when their time has come.
func (u *Upstreams) Recheck(ctx context.Context) error {
	all, err := u.with.Store.ListUpstreams(ctx)
	for _, one := range offered(all) {
		config, bad := configOf(one)
		if bad != nil || config.recheck() <= 0 {
			continue
		}
		if err := errors.Join(u.recheckLate(ctx, one, config), u.recheckDue(ctx, one, config)); err != nil {
			return err
		}
	}
	return err
}

// recheckLate ends the sign-ins of those for whom the upstream has not said for a day that
// they are there, and does not now.
func (u *Upstreams) recheckLate(ctx context.Context, upstream storage.Upstream, config Config) error {
	now := u.with.Ambient.Now()
	late, err := u.with.Store.ListDueRechecks(ctx, storage.RecheckDue{UpstreamID: upstream.ID, AskedBefore: now,
		AskedAfter: now.Add(RecheckEvery), ToldBefore: now.Add(-recheckGrace), Now: now}, recheckMost)
	silent := false // then nobody else is asked about
	for _, one := range late {
		said := asked{mine: true, err: errUnreachable}
		if !silent && err == nil {
			said, err = u.claim(ctx, asking{upstream, config, one}, roundBudget)
		}
		if err != nil || ctx.Err() != nil {
			return err
		}
		if !said.mine {
			continue
		}
		if silent = said.silent(); said.err == nil || isGone(said.err) {
			continue
		}
		err = u.with.Store.EndUpstreamSessions(ctx, u.act(ctx), upstream.ID, one.UserID)
	}
	return err
}

// recheckDue asks about those whose time has come, some at once, until there are no more
// or the upstream answers nobody.
func (u *Upstreams) recheckDue(ctx context.Context, upstream storage.Upstream, config Config) error {
	ahead := u.with.Ambient.Now().Add(RecheckEvery)
	for {
		now := u.with.Ambient.Now()
		due, err := u.with.Store.ListDueRechecks(ctx, storage.RecheckDue{UpstreamID: upstream.ID,
			AskedBefore: now.Add(RecheckEvery - config.recheck()), AskedAfter: ahead, Now: now}, recheckPage)
		if err != nil {
			return err
		}
		for some := range slices.Chunk(due, recheckAtOnce) {
			silent, err := u.recheckSome(ctx, upstream, config, some)
			if err != nil || silent || ctx.Err() != nil {
				return err
			}
		}
		if len(due) < recheckPage {
			return nil
		}
		ahead = ahead.Add(recheckGrace) // once a round: else two servers could ask in turn without end
	}
}

// recheckSome asks about some at once, and reports whether the upstream answers nobody.
func (u *Upstreams) recheckSome(ctx context.Context, upstream storage.Upstream, config Config,
	some []storage.UpstreamRecheck) (bool, error) {
	said, failed := make([]asked, len(some)), make([]error, len(some))
	var all sync.WaitGroup
	for i, one := range some {
		all.Go(func() { said[i], failed[i] = u.claim(ctx, asking{upstream, config, one}, roundBudget) })
	}
	all.Wait()
	return !slices.ContainsFunc(said, func(a asked) bool { return !a.silent() }), errors.Join(failed...)
}

// asked is what came of a question.
type asked struct {
	mine bool  // to ask: another did not, and there was a place
	err  error // as ask has it
}

func (a asked) silent() bool { return fault.Is(a.err, fault.Unavailable) }

// claim asks, unless somebody else does, or others have all places: nothing is noted then.
func (u *Upstreams) claim(ctx context.Context, a asking, budget time.Duration) (asked, error) {
	leave, full := u.remote(a.upstream, a.config).enter()
	if full != nil {
		return asked{err: full}, nil
	}
	mine, err := u.with.Store.ClaimRecheck(ctx, a.recheck, u.with.Ambient.Now())
	if err != nil || !mine {
		leave()
		return asked{}, err
	}
	return asked{true, u.wait(ctx, a, budget, leave)}, nil
}
