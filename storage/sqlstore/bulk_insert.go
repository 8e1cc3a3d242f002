package sqlstore

import (
	"context"
	"fmt"
	"strings"
)

// table is rows to be added to a table.
type table struct {
	name    string
	columns []string
	rows    [][]any
}

func (t *table) add(row ...any) { t.rows = append(t.rows, row) }

// newIDs reserves ids of a table, so that rows that refer to each other can be
// made before they are written.
func (t tx) newIDs(ctx context.Context, name string, n int) ([]int64, error) {
	if n == 0 {
		return nil, nil
	}
	ids := make([]int64, 0, n)
	if t.handle.dialect.rowLocks {
		err := t.list(ctx, &ids, `SELECT nextval(pg_get_serial_sequence(:name, 'id')) FROM generate_series(1, :n)`,
			args{"name": name, "n": n})
		return ids, err
	}
	var last int64
	if err := t.get(ctx, &last, `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = :name), 0)`, args{"name": name}); err != nil {
		return nil, err
	}
	for i := range n {
		ids = append(ids, last+int64(i)+1)
	}
	return ids, nil
}

// insertAll adds the rows as fast as the engine can.
func (t tx) insertAll(ctx context.Context, all table) error {
	if t.handle.dialect.rowLocks {
		return t.copyIn(ctx, all)
	}
	return t.insertMany(ctx, all)
}

// copyIn is COPY of PostgreSQL.
func (t tx) copyIn(ctx context.Context, all table) error {
	stmt, err := t.sqlx.PrepareContext(ctx, "COPY "+all.name+" ("+strings.Join(all.columns, ", ")+") FROM STDIN")
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, row := range all.rows {
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

// rowsPerInsert keeps a statement of SQLite well below its 32 766 values.
const rowsPerInsert = 100

// insertMany is INSERT with many rows.
func (t tx) insertMany(ctx context.Context, all table) error {
	for len(all.rows) > 0 {
		n := min(rowsPerInsert, len(all.rows))
		var values []any
		for _, row := range all.rows[:n] {
			values = append(values, row...)
		}
		one := "(?" + strings.Repeat(", ?", len(all.columns)-1) + ")"
		text := fmt.Sprintf("INSERT INTO %s (%s) VALUES %s%s", all.name, strings.Join(all.columns, ", "),
			one, strings.Repeat(", "+one, n-1))
		if _, err := t.sqlx.ExecContext(ctx, text, values...); err != nil {
			return err
		}
		all.rows = all.rows[n:]
	}
	return nil
}

const settleFolder = `
UPDATE folders SET rollup_at = CASE WHEN rollup_at < :at THEN :at ELSE rollup_at END, object_count = object_count + :objects
WHERE id = :id`

// settle adds news to folders at once.
func (t tx) settle(ctx context.Context, all map[int64]news) error {
	if t.handle.dialect.foldsLater {
		return t.fold(ctx, all)
	}
	for id, n := range all {
		_, err := t.exec(ctx, settleFolder, args{"id": id, "at": n.at, "objects": n.objects})
		if err != nil {
			return err
		}
	}
	return nil
}
