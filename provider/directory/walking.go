package directory

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// walk is one under way. It holds names of people and of groups, and a page of entries.
type walk struct {
	directory
	unbraked bool
	said     storage.DirectoryWalk
	beside   *atomic.Int64   // walks under way, itself among them
	holder   string          // of its lease
	rested   time.Duration   // when it did, by Ambient.Elapsed
	seen     map[string]bool // subjects
	kept     map[string]bool // ids of users whose groups could not be told
	blind    bool            // some of what is there was not told
	graph    *graph          // nil: groups don't matter
}

func (w *walk) skip(ctx context.Context, why error) {
	w.said.Skipped++
	w.with.Log.DebugContext(ctx, "an entry of a directory is passed over", "directory", w.ID, "cause", why)
}

// A walk that misses more than this at once, or more than half, has lost its way: a
// filter or a right was changed, and nobody left.
const (
	brakeAtLeast = 5
	brakeShare   = 20 // one in so many
)

func lost(seen, missing, of int) bool {
	return missing > 0 && (seen == 0 || missing > of/2 || missing > max(brakeAtLeast, of/brakeShare))
}

// brake says why nobody is disabled; empty: those who are missing are gone.
func (w *walk) brake(missing, of int) string {
	switch {
	case lost(len(w.seen), missing, of):
		return "Too many people are missing at once. Look at base, filter and the rights of the service account."
	case w.blind:
		return "People are missing, and the directory has entries that can't be told apart, or refers elsewhere. " +
			"Look at the rights of the service account to read " + w.config.Subject + ", at base and filter."
	}
	return ""
}

// brakeGroups says why no group is emptied, by the same rule.
func (w *walk) brakeGroups(missing, of int) string {
	switch {
	case lost(w.said.Groups, missing, of):
		return "Too many groups are missing at once. Look at group_base and group_filter."
	case missing > 0 && w.graph.blind:
		return "Groups are missing, and the directory has some that can't be told apart, or refers elsewhere. " +
			"Look at the rights of the service account to read " + w.config.Subject + ", at group_base and group_filter."
	}
	return ""
}

// refers reports whether the directory sends us on. Active Directory always does, to its
// other domains, and tells who moved there as gone.
func (d directory) refers(page *ldap.SearchResult) bool {
	return len(page.Referrals) > 0 && !d.config.ActiveDirectory
}

const (
	walkTime  = 2 * time.Hour   // longer walks fail
	walkLease = 2 * time.Minute // a walk takes it anew after every page
	mostRest  = 3 * time.Second
)

// rest leaves most of the time to others: it lasts three times as long as the walk worked
// since the last one, for each walk that is under way, for work keeps more than one
// processor busy (garbage, the store).
func (w *walk) rest(ctx context.Context) error {
	worked := min(3*(w.with.Ambient.Elapsed()-w.rested), mostRest)
	timer := time.NewTimer(worked * time.Duration(w.beside.Load()))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		w.rested = w.with.Ambient.Elapsed()
		return nil
	}
}

// hold rests, makes the walk the only one through its directory, and ends one that has
// no end.
func (w *walk) hold(ctx context.Context) error {
	if err := w.rest(ctx); err != nil {
		return err
	}
	now := w.with.Ambient.Now()
	if now.Sub(w.said.BeganAt) > walkTime {
		return causef("the walk took more than %v", walkTime)
	}
	mine, err := w.with.Store.AcquireLease(ctx, "walk through "+w.ID, w.holder, now, now.Add(walkLease))
	if err == nil && !mine {
		err = fault.New(fault.Conflict, ReasonWalking, "Another walk through this directory is under way. Wait for its end.")
	}
	return err
}

func (w *walk) release(ctx context.Context) error {
	now := w.with.Ambient.Now()
	_, err := w.with.Store.AcquireLease(ctx, "walk through "+w.ID, w.holder, now, now)
	return err
}
