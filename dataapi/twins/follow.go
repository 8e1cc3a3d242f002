package twins

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/storage"
)

// FollowerStore is what following originals needs of the store, beside what the
// endpoints do.
type FollowerStore interface {
	storage.DocumentStore
	ListStamped(ctx context.Context, after int64, limit int) ([]storage.Event, error)
	LastPosition(ctx context.Context) (int64, error)
	AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
}

// Follower keeps documents as their originals want them: it goes along the
// events, which say what may have changed, and looks at those originals alone.
// How far it has come is kept, so that nothing is missed while it does not run.
// Any number of servers may run one: one at a time works.
type Follower struct {
	handler *Handler
	store   FollowerStore
	log     *slog.Logger
	holder  string // names this process among its replicas
	sweptAt time.Time
}

const (
	duty = "twins"
	// lease is short, so that another server goes on soon after one that died.
	// Two that copy one version do no harm: the first keeps it.
	lease = 3 * time.Second

	look      = 500 * time.Millisecond
	lookBatch = 20
	later     = 30 * time.Second // after a failure of ours
	soon      = 2 * time.Second  // when a virus scanner is still at it
)

// NewFollower returns a Follower that copies as the handler does.
func NewFollower(handler *Handler, store FollowerStore, log *slog.Logger) *Follower {
	return &Follower{handler: handler, store: store, log: log, holder: handler.ambient.UID()}
}

// Run works until the context ends.
func (f *Follower) Run(ctx context.Context) {
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			if err := tracing.Round(ctx, "twins", f.Step); err != nil && ctx.Err() == nil {
				f.log.ErrorContext(ctx, "following the originals of documents failed", "error", err)
			}
		}
	}
}

// Step goes along all there is now, if there is something and it is this server's
// turn, and looks at what is due. A change of rights can make thousands due: new versions that come
// meanwhile go before the rest of them.
func (f *Follower) Step(ctx context.Context) error {
	if idle, err := f.idle(ctx); err != nil || idle {
		return err
	}
	mine, err := f.mine(ctx)
	if err != nil || !mine {
		return err
	}
	for {
		for more := true; more; {
			if more, err = f.catchUp(ctx); err != nil {
				return err
			}
		}
		due, err := f.store.ListDue(ctx, f.handler.ambient.Now(), lookBatch)
		if err != nil {
			return err
		}
		for _, d := range due {
			if mine, err := f.mine(ctx); err != nil || !mine {
				return err
			}
			if err := f.refresh(ctx, d); err != nil {
				return err
			}
		}
		if len(due) < lookBatch {
			return f.sweep(ctx)
		}
	}
}

// idle reports that there is nothing to do. It only looks: the turn is taken by
// writing, and a server at rest writes nothing.
func (f *Follower) idle(ctx context.Context) (bool, error) {
	now := f.handler.ambient.Now()
	if now.Sub(f.sweptAt).Abs() >= sweepEvery {
		return false, nil
	}
	at, err := f.store.Position(ctx, duty)
	if err != nil {
		return false, err
	}
	events, err := f.store.ListStamped(ctx, at, 1)
	if err != nil || len(events) > 0 {
		return false, err
	}
	due, err := f.store.ListDue(ctx, now, 1)
	return len(due) == 0, err
}

func (f *Follower) mine(ctx context.Context) (bool, error) { return f.hold(ctx, duty, lease) }

func (f *Follower) hold(ctx context.Context, duty string, lease time.Duration) (bool, error) {
	now := f.handler.ambient.Now()
	return f.store.AcquireLease(ctx, duty, f.holder, now, now.Add(lease))
}

// catchUp takes a page of events, and reports whether there may be more.
func (f *Follower) catchUp(ctx context.Context) (bool, error) {
	now := f.handler.ambient.Now()
	at, err := f.store.Position(ctx, duty)
	if err != nil {
		return false, err
	}
	if at == 0 { // at the very first: what has happened is what there is
		if at, err = f.store.LastPosition(ctx); err != nil || at == 0 {
			return false, err
		}
		return true, f.store.Advance(ctx, duty, at, now, []storage.Touched{{}})
	}
	events, err := f.store.ListStamped(ctx, at, storage.MaxPage)
	if err != nil || len(events) == 0 {
		return false, err
	}
	due := touchedBy(events)
	if events[0].Position > at+1 { // some were forgotten meanwhile
		due = []storage.Touched{{}}
	}
	return true, f.store.Advance(ctx, duty, events[len(events)-1].Position, now, due)
}

// touchedBy returns what the events may have changed for documents, each once.
func touchedBy(events []storage.Event) []storage.Touched {
	met := map[storage.Touched]bool{}
	var all []storage.Touched
	for _, e := range events {
		touched, concerns := touching(e)
		if concerns && !met[touched] {
			met[touched] = true
			all = append(all, touched)
		}
	}
	return all
}

// touching says for which originals an event may mean something: another
// version, another place, or other rights.
func touching(e storage.Event) (storage.Touched, bool) {
	about, _, _ := strings.Cut(e.Kind, ".")
	switch about {
	case "item", "version":
		return storage.Touched{ItemID: e.Subject}, true
	case "folder":
		plain := e.Kind == storage.EventFolderCreated || e.Kind == storage.EventFolderRenamed ||
			e.Kind == storage.EventFolderUpdated
		return storage.Touched{ProjectID: e.ProjectID}, !plain
	case "project":
		return storage.Touched{ProjectID: e.ProjectID}, true
	case "grant", "member", "group", "app", "hub":
		if e.ProjectID != "" {
			return storage.Touched{ProjectID: e.ProjectID}, true
		}
		return storage.Touched{HubID: e.HubID}, true
	}
	return storage.Touched{}, false
}

// refresh looks at the original of a document, in the name of whoever imported
// it, and does what the policy says.
func (f *Follower) refresh(ctx context.Context, d storage.TwinDocument) error {
	h := f.handler
	change := storage.Change{Act: storage.Act{At: h.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorSystem}},
		Caller: d.By}
	_, item, version, err := h.originals.Original(ctx, d.By, d.Source.ProjectID,
		storage.VersionRef{ItemID: d.Source.ItemID})
	switch {
	case closed(err):
		d.State, d.Reason = storage.DocumentOrphaned, fault.From(err).Reason
		return f.gone(f.store.SetDocumentState(ctx, change, d))
	case err != nil:
		return f.postpone(ctx, d, err)
	}
	d.Newest, d.Reason, d.State = item.Item.Tip, "", storage.DocumentReady
	switch {
	case d.Newest <= d.Source.Version || d.Policy == storage.PolicyPin:
		return f.gone(f.store.SetDocumentState(ctx, change, d))
	case d.Policy == storage.PolicyNotify:
		d.State = storage.DocumentOutdated
		return f.gone(f.store.SetDocumentState(ctx, change, d))
	}
	return f.renew(ctx, change, d, version)
}

// closed reports whether the error says that the original is not there for who
// imported it.
func closed(err error) bool {
	return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden) || fault.HasReason(err, "project_inactive")
}

// renew gives the document the bytes of the newest version. One that is no
// document leaves it as it is.
func (f *Follower) renew(ctx context.Context, change storage.Change, d storage.TwinDocument,
	version storage.Version) error {
	newer := d
	newer.Source.Version = version.Number
	err := f.handler.copyInto(ctx, &newer, version)
	switch {
	case err == nil:
		return f.gone(f.store.RefreshDocument(ctx, change, newer))
	case fault.Is(err, fault.Invalid):
		d.State, d.Reason = storage.DocumentFailed, fault.From(err).Reason
		return f.gone(f.store.SetDocumentState(ctx, change, d))
	}
	return f.postpone(ctx, d, err)
}

// gone lets pass that somebody deleted or replaced the document meanwhile.
func (f *Follower) gone(err error) error {
	if fault.Is(err, fault.NotFound) || fault.HasReason(err, storage.ReasonDocumentMoved) {
		return nil
	}
	return err
}

// postpone tries again later what was our own failure.
func (f *Follower) postpone(ctx context.Context, d storage.TwinDocument, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if fault.HasReason(err, storage.ReasonScanPending) {
		return f.store.Postpone(ctx, d.ID, f.handler.ambient.Now().Add(soon))
	}
	f.log.WarnContext(ctx, "a document's original could not be looked at", "document", d.ID, "error", err)
	return f.store.Postpone(ctx, d.ID, f.handler.ambient.Now().Add(later))
}

// Bytes that no document has any more, and those of imports that broke off.
const (
	sweepEvery = 10 * time.Minute
	keepNoted  = 6 * time.Hour // somebody may be reading, or still copying
	sweepBatch = 100
)

// sweep deletes bytes that were noted long ago, but not while a backup copies them. The
// bytes go first: the note is what knows of them.
func (f *Follower) sweep(ctx context.Context) error {
	now := f.handler.ambient.Now()
	if now.Sub(f.sweptAt).Abs() < sweepEvery {
		return nil
	}
	f.sweptAt = now
	for {
		mine, err := f.hold(ctx, storage.RemovalDuty, storage.RemovalLease)
		if err != nil || !mine {
			return err
		}
		blobs, err := f.store.ListNotedBlobs(ctx, now.Add(-keepNoted), sweepBatch)
		if err != nil || len(blobs) == 0 {
			_, failed := f.hold(ctx, storage.RemovalDuty, 0)
			return errors.Join(err, failed)
		}
		for _, blob := range blobs {
			if err := f.handler.blobs.Delete(ctx, blob); err != nil {
				return err
			}
		}
		if err := f.store.ForgetBlobs(ctx, blobs); err != nil {
			return err
		}
	}
}
