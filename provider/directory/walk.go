package directory

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/portico-id/portico/storage"
)

// Walk goes through all people and groups of a directory, and makes of those here what
// it says of them. Whoever is missing is disabled, where the walk came to its end and
// they are not many at once, or unbraked. What it came to is kept, too. Conflict
// (ReasonWalking) while another one is under way.
func (d *Directories) Walk(ctx context.Context, id string, unbraked bool) (storage.DirectoryWalk, error) {
	one, err := d.find(ctx, id)
	if err != nil {
		return storage.DirectoryWalk{}, err
	}
	d.walking.Add(1)
	defer d.walking.Add(-1)
	w := &walk{directory: one, beside: &d.walking, holder: d.with.Ambient.UID(), unbraked: unbraked || one.config.Unbraked,
		rested: d.with.Ambient.Elapsed(),
		said:   storage.DirectoryWalk{UpstreamID: id, BeganAt: d.with.Ambient.Now(), Outcome: storage.WalkDone}}
	if err := w.hold(ctx); err != nil {
		return storage.DirectoryWalk{}, err
	}
	err = errors.Join(w.run(ctx), w.release(context.WithoutCancel(ctx)))
	if err != nil {
		w.said.Outcome, w.said.Detail = storage.WalkFailed, why(err)
		one.with.Log.WarnContext(ctx, "a walk through a directory failed", "directory", id, "cause", why(err))
	}
	w.said.EndedAt = d.with.Ambient.Now()
	return w.said, errors.Join(err, d.with.Store.NoteWalk(context.WithoutCancel(ctx), one.act(), w.said))
}

func (w *walk) run(ctx context.Context) error {
	err := w.serve(ctx, func(l *link) error {
		w.said.People, w.said.Skipped, w.seen, w.kept, w.blind = 0, 0, map[string]bool{}, map[string]bool{}, false
		if err := w.readGroups(ctx, l); err != nil {
			return err
		}
		return w.pages(ctx, l, w.config.Base, w.config.Filter, w.config.wanted(), func(page *ldap.SearchResult) error {
			w.blind = w.blind || w.refers(page)
			return w.people(ctx, page.Entries)
		})
	})
	if err != nil {
		return reached(err)
	}
	if err := w.miss(ctx); err != nil || w.said.Outcome == storage.WalkStopped {
		return err
	}
	return w.writeGroups(ctx)
}

// people makes what is said of a page of entries.
func (w *walk) people(ctx context.Context, page []*ldap.Entry) error {
	var all []person
	var subjects []string
	for _, entry := range page {
		p, err := w.personOf(entry)
		if err != nil { // a bad entry stops nobody else's
			w.blind = true // whoever it is, they are there
			w.skip(ctx, err)
			continue
		}
		all, subjects = append(all, p), append(subjects, p.subject)
		w.seen[p.subject] = true
	}
	w.said.People += len(all)
	if err := w.hold(ctx); err != nil {
		return err
	}
	found, err := w.with.Store.FindDirectoryPeople(ctx, w.ID, w.config.Subject, subjects)
	if err != nil {
		return err
	}
	known := map[string]*storage.DirectoryPerson{}
	for i := range found {
		known[found[i].Subject] = &found[i]
	}
	for some := range slices.Chunk(all, perFilter) {
		for _, p := range some {
			if err := w.person(ctx, p, known[p.subject]); err != nil {
				return err
			}
		}
		if err := w.hold(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) person(ctx context.Context, p person, known *storage.DirectoryPerson) error {
	identity, changed, err := w.meet(ctx, p, known, w.config.Join == JoinAll)
	if unfit(err) {
		if known != nil || w.config.Join == JoinAll && !p.disabled {
			w.skip(ctx, err)
		}
		if known == nil {
			return nil
		}
		err = nil // their groups are theirs all the same
	}
	if err != nil {
		return err
	}
	if changed {
		w.said.Changed++
	}
	if w.graph == nil || p.disabled {
		return nil
	}
	return w.place(ctx, p, identity.UserID)
}

// partDetail is what is said of a walk that could have taken people out of groups, and did not.
const partDetail = "The directory refers elsewhere for groups: nobody is taken out of one. Look at group_base."

// place notes in which groups the person is. Where that can't be told they stay where
// they are.
func (w *walk) place(ctx context.Context, p person, userID string) error {
	groups, whole := w.graph.of(p)
	if !whole {
		w.kept[userID] = true
		w.skip(ctx, causef("groups of %q are nested more than %d deep", p.dn, maxDepth))
		w.said.Detail = "Groups are nested too deep: some people stay in those in which they were."
		return nil
	}
	w.graph.put(userID, groups)
	if !w.graph.mapped {
		return nil
	}
	if whole = !w.graph.part || w.unbraked; !whole && w.config.OwnGroups {
		w.said.Detail = partDetail
	}
	entries := make([]groupEntry, len(groups))
	for i, g := range groups {
		entries[i] = w.graph.groups[g]
	}
	return w.mapGroups(ctx, userID, entries, whole)
}

// miss ends those whom the walk did not see, unless they are too many.
func (w *walk) miss(ctx context.Context) error {
	missing, live := 0, 0
	err := w.eachKnown(ctx, func(p storage.DirectoryPerson) error {
		live++
		if w.misses(p) {
			missing++
		}
		return nil
	})
	w.said.Missing = missing
	if err != nil || missing == 0 {
		return err
	}
	if detail := w.brake(missing, live); detail != "" && !w.unbraked {
		w.said.Outcome, w.said.Detail = storage.WalkStopped, detail
		w.with.Log.ErrorContext(ctx, "a walk through a directory stopped", "directory", w.ID, "missing", missing, "of", live)
		return nil
	}
	return w.eachKnown(ctx, func(p storage.DirectoryPerson) error {
		if !w.misses(p) {
			return nil
		}
		return w.leave(ctx, p)
	})
}

// misses reports whether the directory does not have the person any more. Who joined or
// signed in since the walk began was there.
func (w *walk) misses(p storage.DirectoryPerson) bool {
	return !w.seen[p.Subject] && !w.since(p.LinkedAt) && !w.since(p.LastAt)
}

// since reports whether something was since the walk began. By a clock that was ahead
// nothing is: who left would be in until the time of day has caught up.
func (w *walk) since(at time.Time) bool {
	return !at.Before(w.said.BeganAt) && at.Sub(w.with.Ambient.Now()) < storage.ClocksApart
}

func (w *walk) eachKnown(ctx context.Context, do func(storage.DirectoryPerson) error) error {
	for after := ""; ; {
		page, err := w.with.Store.ListDirectoryPeople(ctx, w.ID, after, pageSize)
		if err != nil {
			return err
		}
		for _, p := range page {
			if p.Issuer != w.config.Subject { // known by another attribute, which is asked for no more
				continue
			}
			if err := do(p); err != nil {
				return err
			}
		}
		if len(page) < pageSize {
			return nil
		}
		after = page[len(page)-1].Subject
		if err := w.hold(ctx); err != nil {
			return err
		}
	}
}
