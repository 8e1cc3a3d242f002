package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/golang-migrate/migrate/v4/source"

	"github.com/portico-id/portico/internal/pattern"
)

// Work is what a missing step will do to a table that is there already.
type Work struct {
	Step   int
	Table  string
	What   string // the kind of statement, such as CREATE INDEX
	Blocks string // what others can't do meanwhile: "reading and writing", or "writing"
	Rows   int64  // about how many the table has
	Takes  time.Duration
}

// A statement that goes through a table reads or writes about so many rows a
// second: few enough for a slow machine. All others only change what is known of
// the table.
const (
	readASecond    = 250_000
	writtenASecond = 25_000
)

// kinds are the statements that touch a table, the first that fits counts.
var kinds = []struct {
	form   pattern.Pattern
	what   string
	blocks string
	rate   int64 // rows a second; 0: it takes no longer with more
}{
	{pattern.Of(`^ALTER TABLE (\w+) .*(TYPE|SET NOT NULL|ADD CONSTRAINT)`), "ALTER TABLE",
		"reading and writing", writtenASecond},
	{pattern.Of(`^ALTER TABLE (\w+)`), "ALTER TABLE", "reading and writing", 0},
	{pattern.Of(`^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)`), "CREATE INDEX", "writing", readASecond},
	{pattern.Of(`^CREATE TRIGGER .* ON (\w+)`), "CREATE TRIGGER", "writing", 0},
	{pattern.Of(`^UPDATE (\w+)`), "UPDATE", "writing", writtenASecond},
	{pattern.Of(`^DELETE FROM (\w+)`), "DELETE", "writing", writtenASecond},
	{pattern.Of(`^INSERT INTO \w+ .*SELECT .* FROM (\w+)`), "INSERT", "nothing", writtenASecond},
	{pattern.Of(`^DROP TABLE (\w+)`), "DROP TABLE", "reading and writing", 0},
}

var (
	created  = pattern.Of(`^CREATE (?:TEMP(?:ORARY)? )?TABLE (\w+)`)
	comments = pattern.Of(`(?m)--.*$`)
	bodies   = pattern.Of(`(?s)\$\$.*?\$\$|\bBEGIN\b.*?\bEND\b`)
)

// Check says what Up would do to the tables that are there, and changes nothing.
// It takes one transaction: what it blocks is blocked until its end.
func (r *Runner) Check(ctx context.Context) ([]Work, error) {
	status, err := r.Status(ctx)
	if err != nil {
		return nil, err
	}
	steps, err := r.steps()
	if err != nil {
		return nil, err
	}
	defer steps.Close()
	var all []Work
	var fresh []string // tables that the steps make
	for n := status.Applied + 1; n <= status.Known; n++ {
		statements, err := statementsOf(steps, n)
		if err != nil {
			return nil, err
		}
		for _, statement := range statements {
			if made := created().FindStringSubmatch(statement); made != nil {
				fresh = append(fresh, made[1])
			}
			work, rate := workOf(statement)
			if work.Table == "" || slices.Contains(fresh, work.Table) {
				continue
			}
			if err := r.measure(ctx, &work, rate); err != nil {
				return nil, err
			}
			work.Step = n
			all = append(all, work)
		}
	}
	return all, nil
}

// statementsOf returns what a step says, each in one line.
func statementsOf(steps source.Driver, n int) ([]string, error) {
	up, _, err := steps.ReadUp(uint(n)) // #nosec G115 -- steps are counted from 1
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer up.Close()
	text, err := io.ReadAll(up)
	plain := bodies().ReplaceAllString(comments().ReplaceAllString(string(text), ""), "")
	var all []string
	for one := range strings.SplitSeq(plain, ";") {
		all = append(all, strings.Join(strings.Fields(one), " "))
	}
	return all, err
}

// workOf returns what a statement does, of no table when that is nothing, and how
// many rows a second it gets through.
func workOf(statement string) (work Work, rate int64) {
	for _, kind := range kinds {
		if found := kind.form().FindStringSubmatch(statement); found != nil {
			return Work{Table: found[1], What: kind.what, Blocks: kind.blocks}, kind.rate
		}
	}
	return Work{}, 0
}

// measure asks how large the table is, and says how long that takes.
func (r *Runner) measure(ctx context.Context, work *Work, rate int64) error {
	err := r.db.QueryRowContext(ctx, fmt.Sprintf(r.dialect.rows, work.Table)).Scan(&work.Rows)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("looking at table %s: %w", work.Table, err)
	}
	if rate > 0 {
		work.Takes = time.Duration(work.Rows * int64(time.Second) / rate)
	}
	return nil
}
