package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// ReasonDatabaseInUse is that of a database that is to be filled and holds something.
const ReasonDatabaseInUse = "database_in_use" // Conflict

// madeBySchema is the one table in which the schema puts a row by itself.
const madeBySchema = "event_positions"

const updateEpoch = `
UPDATE event_positions SET epoch = :now, last = CASE WHEN last > :now THEN last ELSE :now END WHERE id = 1`

// Loading is a database that is being filled.
type Loading struct{ tx Tx }

// Load fills an empty database, in one transaction that nobody works beside. Rows
// may come in any order: who refers to whom is looked at in the end.
func (s *Schema) Load(ctx context.Context, fill func(context.Context, Loading) error) error {
	ctx = Unhurried(ctx)
	if _, err := s.db.WriteOne(ctx, `{references off}`, Args{}); err != nil {
		return err
	}
	err := s.db.attempt(ctx, func(tx Tx) error {
		if _, err := tx.Exec(ctx, `{take time}`, Args{}); err != nil {
			return err
		}
		if err := tx.alone(ctx); err != nil {
			return err
		}
		return tx.withoutReferences(ctx, func() error { return fill(ctx, Loading{tx}) })
	})
	if err == nil {
		_, err = s.db.WriteOne(ctx, `{references on}`, Args{})
	}
	return AsFault(err)
}

// Empty returns a fault, Conflict, that names what is in the database, if anything is.
func (s *Schema) Empty(ctx context.Context) error {
	return AsFault(s.db.attempt(ctx, func(tx Tx) error {
		_, err := tx.vacant(ctx)
		return err
	}))
}

// BeginEpoch has the positions of the feed be others than those that were given before, and
// go on behind all of those: who is told of changes by webhooks knows them by that.
func (s *Schema) BeginEpoch(ctx context.Context, now time.Time) error {
	_, err := s.db.WriteOne(ctx, updateEpoch, Args{"now": now.UnixMicro()})
	return AsFault(err)
}

// alone keeps everybody else out of all tables.
func (t Tx) alone(ctx context.Context) error {
	all, err := t.shapes(ctx)
	if err != nil || len(all) == 0 || !t.handle.dialect.rowLocks {
		return err
	}
	names := make([]string, len(all))
	for i, shape := range all {
		names[i] = shape.Table
	}
	_, err = t.Exec(ctx, "LOCK TABLE "+strings.Join(names, ", ")+" IN ACCESS EXCLUSIVE MODE", Args{})
	return err
}

// withoutReferences lets rows come before those that they refer to. Making the
// references anew is how PostgreSQL checks many at once.
func (t Tx) withoutReferences(ctx context.Context, work func() error) error {
	var all []struct{ OfTable, Name, Definition string }
	if err := t.List(ctx, &all, `{references}`, Args{}); err != nil {
		return err
	}
	for _, r := range all {
		if _, err := t.Exec(ctx, "ALTER TABLE "+r.OfTable+" DROP CONSTRAINT "+r.Name, Args{}); err != nil {
			return err
		}
	}
	if err := work(); err != nil {
		return err
	}
	for _, r := range all {
		_, err := t.Exec(ctx, "ALTER TABLE "+r.OfTable+" ADD CONSTRAINT "+r.Name+" "+r.Definition, Args{})
		if err != nil {
			return err
		}
	}
	var broken []string
	if err := t.List(ctx, &broken, `{broken references}`, Args{}); err != nil {
		return err
	}
	if len(broken) > 0 {
		return fmt.Errorf("rows of table %s refer to what is not there", broken[0])
	}
	_, err := t.Exec(ctx, `{analyze all}`, Args{})
	return err
}

// vacant returns the tables when nothing is in them but what the schema itself has put
// there.
func (t Tx) vacant(ctx context.Context) ([]Shape, error) {
	all, err := t.shapes(ctx)
	for _, shape := range all {
		used, query := false, "SELECT EXISTS (SELECT 1 FROM "+shape.Table
		if shape.Table == madeBySchema {
			query += " WHERE last > 0"
		}
		if err := t.Get(ctx, &used, query+")", Args{}); err != nil {
			return nil, err
		}
		if used {
			return nil, fault.Newf(fault.Conflict, ReasonDatabaseInUse,
				"The database is not empty, there are rows in its table %s: name an empty one.", shape.Table)
		}
	}
	return all, err
}

// Vacate returns the tables by name, of which none has a row then. Conflict
// (ReasonDatabaseInUse) when there are some that the schema has not put there itself.
func (l Loading) Vacate(ctx context.Context) (map[string]Shape, error) {
	all, err := l.tx.vacant(ctx)
	if err != nil {
		return nil, AsFault(err)
	}
	shapes := map[string]Shape{}
	for _, shape := range all {
		shapes[shape.Table] = shape
	}
	if _, there := shapes[madeBySchema]; there {
		_, err = l.tx.Exec(ctx, "DELETE FROM "+madeBySchema, Args{})
	}
	return shapes, AsFault(err)
}

// Add adds rows.
func (l Loading) Add(ctx context.Context, rows Table) error {
	return AsFault(l.tx.InsertAll(ctx, rows))
}

// Count has the database go on counting behind the last value of a table.
func (l Loading) Count(ctx context.Context, shape Shape, last int64) error {
	if shape.Counter == "" || last == 0 {
		return nil
	}
	of := Args{"name": shape.Table, "counter": shape.Counter, "last": last}
	n, err := l.tx.Exec(ctx, `{count on}`, of)
	if err == nil && n == 0 {
		_, err = l.tx.Exec(ctx, `{count from}`, of)
	}
	return AsFault(err)
}
