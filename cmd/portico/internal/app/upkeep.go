package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/provider/scim"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/provider/usage"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage"
)

const (
	sweepEvery = time.Minute
	sweepBatch = 1000 // rows of a kind in one transaction
	sweepDuty  = "sweep"

	// foldEvery is how often changes below folders are added up. Readers see
	// them at once; adding up makes reading cheaper.
	foldEvery = time.Second
	foldBatch = 1000

	// stampEvery is how often changes are put into the feed. Readers do the same
	// when they ask; this is for those who wait, and for what nobody reads.
	stampEvery = 250 * time.Millisecond
	stampBatch = 1000

	// maintainAtLeast is how often the keys are looked after even when nothing
	// is due: another server may have been given a new secret.
	maintainAtLeast = time.Hour
	retryAfter      = 30 * time.Second
)

// upkeep is the worker that keeps the tables small, the figures of folders
// added up and the signing keys fresh.
type upkeep struct {
	store     storage.UpkeepStore
	tree      storage.TreeUpkeepStore
	keeper    *objects.Keeper
	lookedAt  time.Time // when it looked last for bytes that nobody knows
	done      storage.DoneStore
	archives  storage.ArchiveStore
	events    storage.EventStore
	hooks     storage.WebhookStore
	machines  *serviceaccounts.Accounts
	scim      *scim.Server
	clients   *registration.Registrar
	keys      *signing.KeySet
	upstreams *upstreams.Upstreams
	ring      *sealing.Ring
	sealed    storage.SealedStore
	usage     *usage.Counter
	ambient   *ambient.Source
	log       *slog.Logger
	holder    string        // names this process among its replicas
	keep      time.Duration // how long a grant that ended is kept
	late      atomic.Int64  // how far the clean-up is behind, nanoseconds
	retired   retirement
}

func newUpkeep(p *parts) *upkeep {
	return &upkeep{
		store: p.Store, tree: p.Store, done: p.Store, archives: p.Store, events: p.Store, hooks: p.Store,
		keeper: objects.NewKeeper(p.Store, p.blobs, p.Ambient), machines: p.Machines(), scim: p.scim,
		clients: p.Registrar(),
		keys:    p.keys, upstreams: p.upstreams, ring: p.ring, sealed: p.Store,
		usage:   p.usage,
		ambient: p.Ambient, log: p.Log,
		holder:  p.Ambient.UID(),
		keep:    p.Config.KeepGrants(),
		retired: newRetirement(p.People(), p.Config),
	}
}

// run works until the context ends.
func (u *upkeep) run(ctx context.Context) {
	var rest sync.WaitGroup
	rest.Go(func() { again(ctx, 0, func() time.Duration { return u.maintainKeys(ctx) }) })
	rest.Go(func() { again(ctx, u.usage.UntilNext(), func() time.Duration { return u.keepUsage(ctx) }) })
	apart(ctx, u.jobs()...)
	rest.Wait()
}

func (u *upkeep) jobs() []job {
	return []job{
		{"sweep", sweepEvery, u.sweep}, {"look", sweepEvery, u.look}, {"fold", foldEvery, u.fold},
		{"stamp", stampEvery, u.stamp}, {"tidy", tidyEvery, u.tidy}, {"retire", retireEvery, u.retire},
		{"recheck", upstreams.RecheckEvery, u.recheck},
	}
}

// job is something that is done again and again.
type job struct {
	name  string
	every time.Duration
	do    func(context.Context)
}

// apart does each job by itself, so that none waits for another that has much to
// do, until the context ends.
func apart(ctx context.Context, jobs ...job) {
	var all sync.WaitGroup
	for _, one := range jobs {
		all.Go(func() {
			again(ctx, one.every, func() time.Duration {
				_ = tracing.Round(ctx, one.name, func(ctx context.Context) error {
					one.do(ctx)
					return nil // what fails is logged
				})
				return one.every
			})
		})
	}
	all.Wait()
}

// again works after a while and then after what it returns, until the context
// ends.
func again(ctx context.Context, after time.Duration, work func() time.Duration) {
	timer := time.NewTimer(after)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			timer.Reset(work())
		}
	}
}

// maintainKeys does what is due with the signing keys, seals anew what is sealed under a
// secret of the server's that has been replaced, and returns when to come back.
func (u *upkeep) maintainKeys(ctx context.Context) time.Duration {
	resealed := u.reseal(ctx)
	next, err := u.keys.Maintain(ctx)
	if err = errors.Join(err, resealed); err != nil {
		u.failed(ctx, "looking after the keys failed", err)
		return retryAfter
	}
	return max(time.Second, min(maintainAtLeast, next.Sub(u.ambient.Now())))
}

// sweep removes what nothing needs any more, in batches so that no transaction
// is long, and on one replica at a time.
func (u *upkeep) sweep(ctx context.Context) {
	for ctx.Err() == nil {
		now := u.ambient.Now()
		mine, err := u.store.AcquireLease(ctx, sweepDuty, u.holder, now, now.Add(2*sweepEvery))
		if err != nil {
			u.failed(ctx, "asking for the clean-up duty failed", err)
		}
		if err != nil || !mine {
			return
		}
		removed, err := u.store.SweepExpired(ctx, now, u.keep, sweepBatch)
		swept, failed := u.machines.Sweep(ctx, sweepBatch)
		forgotten, alsoFailed := u.done.SweepDone(ctx, now, sweepBatch)
		old, failedToo := u.events.SweepEvents(ctx, now, sweepBatch)
		packed, failedOnceMore := u.archives.SweepArchives(ctx, now, sweepBatch)
		told, failedAgain := u.hooks.SweepDeliveries(ctx, now, sweepBatch)
		_, kept := u.scim.Sweep(ctx)
		idle, stayed := u.clients.Sweep(ctx, sweepBatch)
		_, unfit := u.store.FitSearchKeys(ctx, sweepBatch)
		if err = errors.Join(err, failed, alsoFailed, failedToo, failedOnceMore, failedAgain, kept,
			stayed, unfit); err != nil {
			u.failed(ctx, "the clean-up failed", err)
		}
		if max(removed, swept, forgotten, old, packed, told, idle) < sweepBatch {
			return
		}
	}
}

// behindAfter is how long what has ended may wait for the clean-up until that
// counts as a fault.
const behindAfter = time.Hour

// look finds out how far the clean-up is behind, whoever has the duty.
func (u *upkeep) look(ctx context.Context) {
	now := u.ambient.Now()
	oldest, err := u.store.OldestExpired(ctx, now, u.keep)
	if err != nil {
		u.failed(ctx, "looking how far the clean-up is behind failed", err)
		return
	}
	u.late.Store(0)
	if !oldest.IsZero() {
		u.late.Store(int64(now.Sub(oldest)))
	}
}

// behind is a fault that tells how far the clean-up was behind when that was
// last looked at.
func (u *upkeep) behind(context.Context) error {
	late := time.Duration(u.late.Load())
	if late < behindAfter {
		return nil
	}
	return fault.Newf(fault.Unavailable, "", "What ended %v ago is still there.", late.Round(time.Minute))
}

// fold adds up what has changed below folders. Any number of servers may.
func (u *upkeep) fold(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := u.tree.FoldChanges(ctx, foldBatch)
		if err != nil {
			u.failed(ctx, "adding up the changes of folders failed", err)
		}
		if err != nil || n < foldBatch {
			return
		}
	}
}

// stamp puts changes into the feed. Any number of servers may.
func (u *upkeep) stamp(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := u.events.StampEvents(ctx, stampBatch)
		if err != nil {
			u.failed(ctx, "putting changes into the feed failed", err)
		}
		if err != nil || n < stampBatch {
			return
		}
	}
}

// recheck asks upstreams whether those who signed in by them are still there. Any number
// of servers may.
func (u *upkeep) recheck(ctx context.Context) {
	if err := u.upstreams.Recheck(ctx); err != nil {
		u.failed(ctx, "asking upstreams about their people failed", err)
	}
}

// failed notes a failure, unless it comes from being told to stop.
func (u *upkeep) failed(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		u.log.ErrorContext(ctx, what, "error", err)
	}
}
