package engine

import (
	"context"
	"database/sql"
	"strings"
)

// Snapshot is everything that is kept as it is at one moment.
type Snapshot struct{ tx Tx }

// Snapshot reads everything as it is when it begins, however long that takes. What
// others change meanwhile it does not see, and nobody waits for it.
func (d *DB) Snapshot(ctx context.Context, read func(context.Context, Snapshot) error) error {
	ctx = Unhurried(ctx)
	t, err := d.reader.db.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return AsFault(err)
	}
	defer t.Rollback() // it only reads
	s := Snapshot{newTx(t, d.reader)}
	if _, err := s.tx.Exec(ctx, `{take time}`, Args{}); err != nil {
		return AsFault(err)
	}
	return read(ctx, s)
}

// Step returns the number of the migration that the schema is at.
func (s Snapshot) Step(ctx context.Context) (int, error) {
	var step int
	err := s.tx.Get(ctx, &step, `SELECT version FROM schema_version`, Args{})
	return step, AsFault(err)
}

// Shapes returns the tables in the order of their names.
func (s Snapshot) Shapes(ctx context.Context) ([]Shape, error) {
	shapes, err := s.tx.shapes(ctx)
	return shapes, AsFault(err)
}

// Rows calls yield for each row of a table. A row is the callee's to keep.
func (s Snapshot) Rows(ctx context.Context, shape Shape, yield func(row []any) error) error {
	return s.Each(ctx, "SELECT "+strings.Join(shape.Columns, ", ")+" FROM "+shape.Table, yield)
}

// Each calls yield for each row of a query. A row is the callee's to keep.
func (s Snapshot) Each(ctx context.Context, query string, yield func(row []any) error) error {
	rows, err := s.tx.query(ctx, query, Args{})
	if err != nil {
		return AsFault(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return AsFault(err)
	}
	into := make([]any, len(columns))
	for rows.Next() {
		row := make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return AsFault(err)
		}
		if err := yield(row); err != nil {
			return err
		}
	}
	return AsFault(rows.Err())
}

// Last returns the last value that the database has counted for a table, 0 for none.
func (s Snapshot) Last(ctx context.Context, shape Shape) (int64, error) {
	var last int64
	if shape.Counter == "" {
		return 0, nil
	}
	err := s.tx.Get(ctx, &last, `SELECT {last counted}`, Args{"name": shape.Table, "counter": shape.Counter})
	return last, AsFault(err)
}
