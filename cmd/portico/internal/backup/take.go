package backup

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"sync"
	"time"

	"filippo.io/age"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
)

// leases is the table of who has which duty for the next moment: nobody has one in a
// database that was brought back, least of all this backup.
const leases = "leases"

// Store is what a backup needs of the database.
type Store interface {
	Snapshot(ctx context.Context, read func(context.Context, sqlstore.Snapshot) error) error
	AcquireLease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
}

// Options are what a backup is made of. Recipients may be none: then nothing is
// encrypted.
type Options struct {
	Store      Store
	Blobs      blobstore.Store
	Trail      string // folder of old events of the audit trail; empty: there are none
	Ambient    *ambient.Source
	Engine     string // sqlite or postgres
	Version    string // of this binary
	Recipients []age.Recipient
	Waits      func()                // hears that others have to end first
	Moved      func(done, all int64) // hears how many bytes of contents are dealt with

	// Then is done with the snapshot while nobody else works in the folder; nil: nothing is.
	Then func(Manifest) error
}

// taking is a snapshot on its way.
type taking struct {
	Options
	vault    *Vault
	draft    string // folder of the snapshot until it is whole
	manifest Manifest
	sums     sums
	months   map[string]month // of the trail, by the keys of contents

	mu   sync.Mutex // of what follows, and of manifest.Missing
	done int64      // bytes
}

// Take makes a snapshot beside a server at work. Rows are read as they are at one
// moment; the bytes they name stay where they are until they are copied, as nobody
// removes any meanwhile. What an earlier snapshot has is not copied again.
func Take(ctx context.Context, v *Vault, o Options) (Manifest, error) {
	mine, err := v.claimed(ctx, o)
	if err != nil {
		return Manifest{}, err
	}
	defer mine.release()
	ctx, release, err := hold(ctx, o.Store, o.Ambient, mine.holder, o.Waits)
	if err != nil {
		return Manifest{}, err
	}
	defer release()
	if err := v.sweep(); err != nil {
		return Manifest{}, err
	}
	now := o.Ambient.Now().UTC()
	name, err := v.nextName(now)
	if err != nil {
		return Manifest{}, err
	}
	t := &taking{Options: o, vault: v, manifest: Manifest{Name: name, Format: format, Portico: o.Version,
		Engine: o.Engine, MadeAt: now, Encrypted: len(o.Recipients) > 0, Missing: []string{}}}
	t.draft = path.Join(snapshots, "."+t.manifest.Name)
	if err := v.root.Mkdir(t.draft, 0o700); err != nil {
		return Manifest{}, err
	}
	err = o.Store.Snapshot(ctx, t.read)
	if err == nil {
		err = t.copyContents(ctx)
	}
	if err == nil {
		err = t.finish()
	}
	if err != nil { // the disk may be full, and others need it
		_ = v.root.RemoveAll(t.draft)
	} else if o.Then != nil {
		return t.manifest, o.Then(t.manifest)
	}
	if over := context.Cause(ctx); err != nil && over != nil {
		err = over // which says why, where the database says what it can't do any more
	}
	return t.manifest, err
}

// read writes all rows and the list of contents.
func (t *taking) read(ctx context.Context, all sqlstore.Snapshot) error {
	var err error
	if t.manifest.Schema, err = all.Step(ctx); err != nil {
		return err
	}
	shapes, err := all.Shapes(ctx)
	if err != nil {
		return err
	}
	err = t.write(t.manifest.rows(), func(d *draft) error {
		for _, shape := range shapes {
			if shape.Table == leases {
				continue
			}
			last, err := all.Last(ctx, shape)
			if err != nil {
				return err
			}
			rows, err := writeTable(d, head{shape.Table, shape.Columns, last}, func(yield func([]any) error) error {
				return all.Rows(ctx, shape, yield)
			})
			if err != nil {
				return err
			}
			t.manifest.Tables = append(t.manifest.Tables, Table{shape.Table, rows})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.write(listFile, func(d *draft) error { return t.list(ctx, all, d) })
}

// list writes which contents there are. Where they are encrypted it says nothing that
// would tell somebody which files they are.
func (t *taking) list(ctx context.Context, all sqlstore.Snapshot, d *draft) error {
	var err error
	t.manifest.Contents, err = writeTable(d, head{Table: contents, Columns: []string{"name", "size", "sha256"}},
		func(yield func([]any) error) error {
			line := func(row []any) error {
				t.manifest.Bytes += row[1].(int64)
				if t.manifest.Encrypted {
					row[0], row[2] = row[0].(string)+sealed, nil
				}
				return yield(row)
			}
			if err := all.Contents(ctx, line); err != nil {
				return err
			}
			return t.listTrail(line)
		})
	t.manifest.Contents -= len(t.manifest.Trail)
	return err
}

// write writes a file of the snapshot.
func (t *taking) write(name string, fill func(*draft) error) error {
	name = path.Base(name)
	d, err := t.vault.create(path.Join(t.draft, name), name, t.Recipients)
	if err != nil {
		return err
	}
	err = fill(d)
	sum, failed := d.finish()
	if err = errors.Join(err, failed); err == nil {
		t.sums.add(name, sum)
	}
	return err
}

// finish makes the snapshot whole: what it is, the sums of its files, and then its name.
func (t *taking) finish() error {
	err := t.write(manifestFile, func(d *draft) error {
		encoder := json.NewEncoder(d)
		encoder.SetIndent("", "  ")
		return encoder.Encode(t.manifest)
	})
	if err != nil {
		return err
	}
	text := t.sums.String()
	err = t.write(sumsFile, func(d *draft) error {
		_, err := d.Write([]byte(text))
		return err
	})
	if err == nil {
		err = t.vault.sync(t.draft)
	}
	if err == nil {
		err = t.vault.root.Rename(t.draft, path.Join(snapshots, t.manifest.Name))
	}
	if err != nil {
		return err
	}
	return t.vault.sync(snapshots)
}
