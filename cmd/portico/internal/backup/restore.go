package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"filippo.io/age"

	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
)

// Rows go to the database in batches of so many, or so many bytes.
const (
	batchRows  = 500
	batchBytes = 4 << 20
)

// notices is the table of what webhooks are told.
const notices = "webhook_deliveries"

// RestoreOptions say what is brought back, and where to.
type RestoreOptions struct {
	At         string // name of a snapshot; empty: the newest
	Now        time.Time
	Identities []age.Identity
	Schema     *sqlstore.Schema // of an empty database
	Blobs      blobstore.Store
	Trail      string                // folder of old events of the audit trail; empty: they stay out
	BytesAlone bool                  // rows stay as they are
	KeepGoing  bool                  // contents that are damaged are left out
	Damaged    func(err error)       // hears of those
	Moved      func(done, all int64) // hears how many bytes of contents are dealt with
	Loaded     func(done, all int64) // hears how many rows are
}

// Restore brings a snapshot back into an empty database, in one transaction: whoever
// kills it finds the database empty. Bytes go before rows, so that no row is without;
// those that are there already stay. Older schemas are brought up to that of today. With
// BytesAlone it is for a server that has lost bytes and has its rows.
func Restore(ctx context.Context, v *Vault, o RestoreOptions) (Manifest, error) {
	name, err := v.find(o.At)
	if err != nil {
		return Manifest{}, err
	}
	status, err := o.Schema.Status(ctx)
	if err != nil {
		return Manifest{}, err
	}
	m, err := v.read(name, status.Known)
	if err != nil {
		return m, err
	}
	rows, err := v.open(m.rows(), o.Identities)
	if err != nil {
		return m, err
	}
	defer rows.Close()
	if o.BytesAlone {
		return m, v.bringContents(ctx, m, o)
	}
	if err := o.Schema.Empty(ctx); err != nil {
		return m, err
	}
	if err := v.bringContents(ctx, m, o); err != nil {
		return m, err
	}
	if err := o.Schema.To(ctx, m.Schema); err != nil {
		return m, err
	}
	err = o.Schema.Load(ctx, func(ctx context.Context, l sqlstore.Loading) error {
		return load(ctx, l, readTables(rows), o.Now, func(done int64) { o.Loaded(done, int64(m.Rows())) })
	})
	if err != nil {
		return m, err
	}
	if err := o.Schema.Up(ctx); err != nil {
		return m, err
	}
	return m, o.Schema.BeginEpoch(ctx, o.Now)
}

// load fills the tables. Notices of webhooks are counted on from now: their receivers know
// them by their numbers, and were told of some since the snapshot.
func load(ctx context.Context, into sqlstore.Loading, from *tables, now time.Time, loaded func(done int64)) error {
	shapes, err := into.Vacate(ctx)
	if err != nil {
		return err
	}
	for done := int64(0); ; {
		h, err := from.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		shape, known := shapes[h.Table]
		if !known {
			return fmt.Errorf("there is no table %s in the schema", h.Table)
		}
		b := &batch{into: into, rows: sqlstore.Rows{Name: h.Table, Columns: h.Columns},
			added: func(n int) { done += int64(n); loaded(done) }}
		if b.kinds, err = kindsOf(shape, h); err == nil {
			err = b.fill(ctx, from)
		}
		if h.Table == notices {
			h.Last = max(h.Last, now.UnixMicro())
		}
		if err == nil {
			err = into.Count(ctx, shape, h.Last)
		}
		if err != nil {
			return fmt.Errorf("table %s: %w", h.Table, err)
		}
	}
}

func kindsOf(shape sqlstore.Shape, h head) ([]sqlstore.Kind, error) {
	kinds := make([]sqlstore.Kind, len(h.Columns))
	for i, column := range h.Columns {
		at := slices.Index(shape.Columns, column)
		if at < 0 {
			return nil, fmt.Errorf("there is no column %s in the schema", column)
		}
		kinds[i] = shape.Kinds[at]
	}
	return kinds, nil
}

// batch is rows on their way into a table.
type batch struct {
	into  sqlstore.Loading
	kinds []sqlstore.Kind
	rows  sqlstore.Rows
	size  int
	added func(rows int)
}

// fill adds all rows of a table.
func (b *batch) fill(ctx context.Context, from *tables) error {
	for {
		row, err := from.row()
		if errors.Is(err, io.EOF) {
			return b.flush(ctx)
		}
		if err == nil {
			err = b.add(row)
		}
		if err == nil && (len(b.rows.Rows) >= batchRows || b.size >= batchBytes) {
			err = b.flush(ctx)
		}
		if err != nil {
			return err
		}
	}
}

func (b *batch) add(row []json.RawMessage) error {
	if len(row) != len(b.kinds) {
		return errors.New("a row has not as many values as there are columns")
	}
	values := make([]any, len(row))
	for i, raw := range row {
		var err error
		if values[i], err = value(b.kinds[i], raw); err != nil {
			return err
		}
		b.size += len(raw)
	}
	b.rows.Add(values...)
	return nil
}

func (b *batch) flush(ctx context.Context) error {
	if len(b.rows.Rows) == 0 {
		return nil
	}
	err := b.into.Add(ctx, b.rows)
	b.added(len(b.rows.Rows))
	b.rows.Rows, b.size = nil, 0
	return err
}
