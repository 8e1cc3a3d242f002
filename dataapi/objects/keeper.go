package objects

import (
	"context"
	"errors"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const (
	// keepParts is how long parts are kept that nothing comes to: uploads have
	// ended by then.
	keepParts = 2 * storage.UploadLifetime

	// keepStrays is how long bytes are left alone that no row knows: as long as
	// an object that no version has.
	keepStrays = storage.OrphanGrace

	keeperBatch = 100
)

// KeeperStore is what a Keeper needs of the store.
type KeeperStore interface {
	storage.ObjectUpkeepStore
	ListAllDocuments(ctx context.Context, page storage.PageRequest) ([]storage.TwinDocument, string, error)
	AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
}

// Keeper keeps rows and bytes in step: it removes what nothing needs, sets
// aside what nobody knows, and says what is missing.
type Keeper struct {
	store   KeeperStore
	blobs   blobstore.Store
	ambient *ambient.Source
	holder  string // names it among those who remove bytes
}

// NewKeeper returns a Keeper.
func NewKeeper(store KeeperStore, blobs blobstore.Store, source *ambient.Source) *Keeper {
	return &Keeper{store, blobs, source, source.UID()}
}

// hold takes the duty of removing bytes, or gives it back. As long as a backup has it
// nothing goes.
func (k *Keeper) hold(ctx context.Context, lease time.Duration) (bool, error) {
	now := k.ambient.Now()
	return k.store.AcquireLease(ctx, storage.RemovalDuty, k.holder, now, now.Add(lease))
}

// release gives the duty back.
func (k *Keeper) release(ctx context.Context) error {
	_, err := k.hold(ctx, 0)
	return err
}

// Tidy forgets uploads that ended, and removes objects that no version has had
// for storage.OrphanGrace. The rows go first, so that no row is ever without its
// bytes.
func (k *Keeper) Tidy(ctx context.Context) error { return k.tidyAt(ctx, k.ambient.Now()) }

func (k *Keeper) tidyAt(ctx context.Context, now time.Time) error {
	if err := repeat(func() (int, error) { return k.store.SweepUploads(ctx, now, keeperBatch) }); err != nil {
		return err
	}
	if err := repeat(func() (int, error) { return k.store.MarkOrphans(ctx, now, keeperBatch) }); err != nil {
		return err
	}
	act := storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorSystem}}
	err := repeat(func() (int, error) {
		if mine, err := k.hold(ctx, storage.RemovalLease); err != nil || !mine {
			return 0, err
		}
		dropped, err := k.store.DropOrphans(ctx, act, keeperBatch)
		for _, object := range dropped {
			if object.Blob != "" {
				err = errors.Join(err, k.blobs.Delete(ctx, object.Blob))
			}
		}
		return len(dropped), err
	})
	return errors.Join(err, k.release(ctx), k.blobs.Tidy(ctx, now.Add(-keepParts)))
}

// repeat acts until there is less to do than one time does.
func repeat(act func() (int, error)) error {
	for {
		n, err := act()
		if err != nil || n < keeperBatch {
			return err
		}
	}
}

// Quarantine sets bytes aside that no row has known for storage.OrphanGrace, and
// returns how many. A crash between bytes and row leaves such.
func (k *Keeper) Quarantine(ctx context.Context) (int, error) {
	return k.quarantineAt(ctx, k.ambient.Now())
}

func (k *Keeper) quarantineAt(ctx context.Context, now time.Time) (int, error) {
	strays := 0
	err := k.strays(ctx, func(info blobstore.Info) error {
		if info.StoredAt.After(now.Add(-keepStrays)) {
			return nil
		}
		if mine, err := k.hold(ctx, storage.RemovalLease); err != nil || !mine {
			return err
		}
		strays++
		return k.blobs.Quarantine(ctx, info.Key)
	})
	return strays, errors.Join(err, k.release(ctx))
}

// strays calls visit for all bytes that no row knows.
func (k *Keeper) strays(ctx context.Context, visit func(blobstore.Info) error) error {
	for after := ""; ; {
		page, err := k.blobs.List(ctx, after, keeperBatch)
		if err != nil {
			return err
		}
		for _, info := range page {
			after = info.Key
			known, err := k.store.KnowsBlob(ctx, info.Key)
			if err == nil && !known {
				err = visit(info)
			}
			if err != nil {
				return err
			}
		}
		if len(page) < keeperBatch {
			return nil
		}
	}
}
