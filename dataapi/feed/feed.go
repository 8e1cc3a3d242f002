// Package feed tells what has happened in a project, as far as the reader may see
// it, and lets them wait for more.
//
// The store orders the events. Start at Handler.ListChanges.
package feed

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/gate/bearer"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Store is what the endpoint reads.
type Store interface {
	StampEvents(ctx context.Context, limit int) (int, error)
	ListChanges(ctx context.Context, projectID string, after int64, limit int) ([]storage.Event, int64, error)
	LastPosition(ctx context.Context) (int64, error)
	Ends
}

// Handler serves the feed. It is safe for concurrent use.
type Handler struct {
	store   Store
	find    access.Finder
	tell    shape.Teller
	pager   jsonapi.Pager
	bearer  *bearer.Authenticator
	epoch   int64
	waiting *waiting
}

// New returns a Handler. The epoch is that of the store's positions.
func New(store Store, find access.Finder, tell shape.Teller, pager jsonapi.Pager,
	bearer *bearer.Authenticator, epoch int64) *Handler {
	return &Handler{store, find, tell, pager, bearer, epoch, newWaiting()}
}

// Routes are the operation.
func (h *Handler) Routes(g access.Guard) []httpio.Route {
	return []httpio.Route{httpio.Shared("/projects/{project_id}/changes").Get(g.Reads(h.ListChanges))}
}

const (
	typeEvents       = "events"
	typeTransmittals = "transmittals"

	textCursor = "cursor"
	textWait   = "wait"

	maxWait  = 30 // seconds
	lookEach = 400 * time.Millisecond

	// stampBatch is how many events get their positions at a time, and
	// sparsePages how many pages without anything for the caller are read
	// before they are told where to go on.
	stampBatch  = 1000
	sparsePages = 10
)

func changesRules() jsonapi.Rules {
	return jsonapi.Rules{Types: []string{typeEvents}, Texts: []string{textCursor, textWait}}
}

type feedMeta struct {
	Cursor string `json:"cursor"`
}

// ListChanges serves GET …/projects/{project_id}/changes: what has happened
// behind the cursor, oldest first, as far as the caller may see it now, and the
// cursor to go on from (decision W7).
func (h *Handler) ListChanges(w http.ResponseWriter, r *http.Request) error {
	q, err := changesRules().Parse(r)
	if err != nil {
		return err
	}
	wait, err := waitOf(q)
	if err != nil {
		return err
	}
	at, err := h.find.ReachProject(r, false)
	if err != nil {
		return err
	}
	after, err := h.feedStart(r.Context(), at.Project.ID, q)
	if err != nil {
		return err
	}
	found, err := h.changes(r.Context(), at, after)
	if err == nil && len(found.events) == 0 && !found.more && wait > 0 {
		found, err = h.awaitChanges(w, r, at, found.next, wait)
	}
	if err != nil {
		return atCursor(err)
	}
	d, err := h.feed(r.Context(), found)
	if err != nil {
		return err
	}
	cursor := h.feedCursor(at.Project.ID, found.next)
	address := h.tell.Base + "/data/v1/projects/" + at.Project.ID + "/changes"
	d.Links, d.Meta = q.Self(address), feedMeta{Cursor: cursor}
	if found.more {
		d.Links.Next = q.Other(address, textCursor, cursor)
	}
	return jsonapi.WriteDocument(w, r, q, d)
}

// waitOf reads how long an answer may wait for something to tell.
func waitOf(q jsonapi.Query) (time.Duration, error) {
	text, given := q.Text(textWait)
	if !given {
		return 0, nil
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 0 || seconds > maxWait {
		return 0, badText(textWait, "The value must be a whole number of seconds from 0 to "+strconv.Itoa(maxWait)+".")
	}
	return time.Duration(seconds) * time.Second, nil
}

// awaitChanges looks every now and then until there is something that the
// caller may see, or their time is up. It asks again who they are: what ends a
// token ends the waiting.
func (h *Handler) awaitChanges(w http.ResponseWriter, r *http.Request, at storage.Place, after int64,
	wait time.Duration) (foundChanges, error) {
	found := foundChanges{next: after}
	leave, ok := h.waiting.enter(at.Standing.Caller)
	if !ok {
		return found, nil
	}
	defer leave()
	httpio.AtLeisure(w)
	over := time.NewTimer(wait)
	defer over.Stop()
	look := time.NewTicker(lookEach)
	defer look.Stop()
	for {
		select {
		case <-r.Context().Done():
			return found, nil // nobody is there to be answered
		case <-h.waiting.ended:
			return found, nil
		case <-over.C:
			return found, nil
		case <-look.C:
		}
		caller, err := h.bearer.Again(r)
		if err == nil {
			err = caller.Need(scope.DataRead)
		}
		if err != nil {
			return found, err
		}
		found, err = h.changes(r.Context(), at, found.next)
		if err != nil || len(found.events) > 0 || found.more {
			return found, err
		}
	}
}

// EndWaits answers everybody who waits for changes, now and from now on: the
// server is about to stop.
func (h *Handler) EndWaits() { h.waiting.once.Do(func() { close(h.waiting.ended) }) }

// foundChanges are those of a page that the caller may see.
type foundChanges struct {
	events  []storage.Event
	folders map[string]bool // which of their subjects are folders
	next    int64           // the position to go on from
	more    bool            // whether there was more to read
}

// changes reads on from a position until there is something that the caller may
// see.
func (h *Handler) changes(ctx context.Context, at storage.Place, after int64) (foundChanges, error) {
	found := foundChanges{next: after}
	if err := h.stamp(ctx); err != nil {
		return found, err
	}
	for range sparsePages {
		events, next, err := h.store.ListChanges(ctx, at.Project.ID, found.next, storage.MaxPage)
		if err != nil {
			return found, err
		}
		found.more = len(events) == storage.MaxPage
		found.next = next
		sees, err := lookAt(ctx, h.store, at, events)
		if err != nil {
			return found, err
		}
		found.events, found.folders = sees.keep(events), sees.folders
		if len(found.events) > 0 || !found.more {
			break
		}
	}
	return found, nil
}

// stamp gives positions to what has none, so that nobody has to wait for the
// worker that does it.
func (h *Handler) stamp(ctx context.Context) error {
	for range sparsePages {
		n, err := h.store.StampEvents(ctx, stampBatch)
		if err != nil || n < stampBatch {
			return err
		}
	}
	return nil
}
