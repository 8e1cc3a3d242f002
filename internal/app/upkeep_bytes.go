package app

import (
	"context"
	"errors"
	"time"

	"github.com/portico-id/portico/storage"
)

const (
	tidyEvery = 10 * time.Minute
	tidyBatch = 100

	// keepParts is how long parts are kept that nothing comes to: uploads have
	// ended by then.
	keepParts = 2 * storage.UploadLifetime
)

// tidy removes what nothing needs of the bytes: uploads that ended, and objects
// that no version has had for long. The rows go first, so that no row is ever
// without its bytes.
func (u *upkeep) tidy(ctx context.Context) {
	now := u.ambient.Now()
	mine, err := u.store.AcquireLease(ctx, sweepDuty, u.holder, now, now.Add(2*sweepEvery))
	if err != nil || !mine {
		return // whoever sweeps says why
	}
	if err := u.tidyBytes(ctx, now); err != nil {
		u.failed(ctx, "the clean-up of bytes failed", err)
	}
}

func (u *upkeep) tidyBytes(ctx context.Context, now time.Time) error {
	_, err := u.objects.SweepUploads(ctx, now, sweepBatch)
	if err != nil {
		return err
	}
	if _, err := u.objects.MarkOrphans(ctx, now, sweepBatch); err != nil {
		return err
	}
	act := storage.Act{At: now, Actor: storage.Actor{Kind: storage.ActorSystem}}
	dropped, err := u.objects.DropOrphans(ctx, act, tidyBatch)
	for _, object := range dropped {
		if object.Blob != "" {
			err = errors.Join(err, u.blobs.Delete(ctx, object.Blob))
		}
	}
	return errors.Join(err, u.blobs.Tidy(ctx, now.Add(-keepParts)))
}
