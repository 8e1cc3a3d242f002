package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage/blobstore"
)

// partSize is how much of large contents goes into a part, in bytes, unless there would
// be too many.
const partSize = 64 << 20

// bringing is contents on their way back.
type bringing struct {
	RestoreOptions
	vault   *Vault
	missing []string // keys that the server had not when the snapshot was made
	months  []Month

	mu   sync.Mutex // of done, and of what hears of it
	done int64
	all  int64
}

// bringContents stores the contents of a snapshot that are not there.
func (v *Vault) bringContents(ctx context.Context, m Manifest, o RestoreOptions) error {
	b := &bringing{RestoreOptions: o, vault: v, missing: m.Missing, months: m.Trail, all: m.Bytes}
	each, ctx := errgroup.WithContext(ctx)
	each.SetLimit(atOnce)
	err := v.eachContent(m.list(), func(c content) error {
		each.Go(func() error { return b.content(ctx, c) })
		return ctx.Err()
	})
	if failed := each.Wait(); failed != nil {
		return failed // what has ended the context, if anything has
	}
	return err
}

func (b *bringing) content(ctx context.Context, c content) error {
	if !slices.Contains(b.missing, c.key()) {
		bring := b.bring
		if c.ofTrail() {
			bring = b.bringMonth
		}
		err := bring(ctx, c)
		if fault.HasReason(err, ReasonDamaged) && b.KeepGoing {
			b.mu.Lock()
			b.Damaged(err)
			b.mu.Unlock()
			err = nil
		}
		if err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += c.size
	b.Moved(b.done, b.all)
	return nil
}

// bring stores bytes, unless they are there.
func (b *bringing) bring(ctx context.Context, c content) error {
	there, err := b.Blobs.Stat(ctx, c.key())
	if err == nil && there.Size == c.size {
		return nil
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	file, err := b.vault.open(c.place(), b.Identities)
	if errors.Is(err, fs.ErrNotExist) {
		return spoilt(c).Because(err)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	upload, err := b.Blobs.Begin(ctx, c.key())
	if err != nil {
		return err
	}
	parts, err := b.put(ctx, c, upload, &watched{Reader: heeding{ctx, file}})
	if err == nil {
		return b.Blobs.Complete(ctx, c.key(), upload, parts)
	}
	_ = b.Blobs.Abort(context.WithoutCancel(ctx), c.key(), upload)
	return err
}

// watched remembers how reading failed: whoever stores it says something else.
type watched struct {
	io.Reader
	failed error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err != nil && err != io.EOF {
		w.failed = err
	}
	return n, err
}

// put stores what is read as parts, which must be what the list tells of.
func (b *bringing) put(ctx context.Context, c content, upload string, body *watched) ([]blobstore.Part, error) {
	sum := sha256.New()
	from := io.TeeReader(body, sum)
	most := max(partSize, c.size/blobstore.MaxParts+1)
	var parts []blobstore.Part
	for left := c.size; left > 0 || len(parts) == 0; {
		part, err := b.Blobs.PutPart(ctx, c.key(), upload, len(parts)+1, from, min(left, most))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case body.failed != nil || fault.HasReason(err, blobstore.ReasonBodyEnded):
			return nil, spoilt(c).Because(errors.Join(body.failed, err))
		case err != nil:
			return nil, err
		}
		parts, left = append(parts, part), left-part.Size
	}
	more, err := io.Copy(io.Discard, body)
	if err != nil || more > 0 || c.sum != nil && !bytes.Equal(sum.Sum(nil), c.sum) {
		return nil, spoilt(c).Because(err)
	}
	return parts, nil
}

// spoilt says which content is damaged, and what to do then.
func spoilt(c content) *fault.Error {
	return fault.New(fault.Invalid, ReasonDamaged, fmt.Sprintf("%s is missing, or was cut off or changed since it was made. "+
		"Remove it, and a new backup copies it again where the server still has it; --keep-going restores what else there is.",
		c.place()))
}
