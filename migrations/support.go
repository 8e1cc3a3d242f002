package migrations

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

const selectSupport = `SELECT version, oldest_binary FROM schema_support ORDER BY version`

// UnsupportedError says that a database is not for this binary.
type UnsupportedError struct {
	Binary string // version of this binary
	Step   int    // the migration that is too new for it
	Oldest string // oldest version that migration supports; empty: it names none
}

// Error names both versions.
func (e *UnsupportedError) Error() string {
	if e.Oldest == "" {
		return fmt.Sprintf("the database schema is at migration %d, which does not list portico %s as supported", e.Step,
			e.Binary)
	}
	return fmt.Sprintf("the database schema (migration %d) needs portico %s or newer, and this is portico %s",
		e.Step, e.Oldest, e.Binary)
}

// CheckSupported returns an *UnsupportedError when an applied step does not
// support this binary, or is unknown to it and names no supported version. A
// database without a schema suits every binary.
func (r *Runner) CheckSupported(ctx context.Context) error {
	applied, err := r.appliedStep(ctx)
	if err != nil || applied == 0 {
		return err
	}
	support, err := r.support(ctx)
	if err != nil {
		return err
	}
	if s := support.strictest(); s != nil && r.binary.less(s.oldest) {
		return &UnsupportedError{Binary: r.binary.text, Step: s.step, Oldest: s.oldest.text}
	}
	if applied > r.known && !support.lists(applied) {
		return &UnsupportedError{Binary: r.binary.text, Step: applied}
	}
	return nil
}

// support is what the applied steps say about binaries.
type support []supportRow

type supportRow struct {
	step   int
	oldest version
}

func (r *Runner) support(ctx context.Context) (support, error) {
	rows, err := r.db.QueryContext(ctx, selectSupport)
	if err != nil {
		return nil, fmt.Errorf("reading which binaries the schema supports: %w", err)
	}
	defer rows.Close()
	var all support
	for rows.Next() {
		var row supportRow
		if err := rows.Scan(&row.step, &row.oldest.text); err != nil {
			return nil, fmt.Errorf("reading which binaries the schema supports: %w", err)
		}
		if row.oldest, err = parseVersion(row.oldest.text); err != nil {
			return nil, fmt.Errorf("table schema_support, migration %d: %w", row.step, err)
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// strictest returns the row with the newest demand, or nil without rows.
func (s support) strictest() *supportRow {
	var newest *supportRow
	for i := range s {
		if newest == nil || newest.oldest.less(s[i].oldest) {
			newest = &s[i]
		}
	}
	return newest
}

func (s support) lists(step int) bool {
	return slices.ContainsFunc(s, func(row supportRow) bool { return row.step == step })
}

// version is a parsed MAJOR.MINOR.PATCH.
type version struct {
	text   string
	number string // as package semver has it
}

// parseVersion reads MAJOR.MINOR.PATCH with or without a leading "v". What
// follows a hyphen or a plus sign names a build of that version and does not
// take part in comparisons.
func parseVersion(text string) (version, error) {
	given := "v" + strings.TrimPrefix(text, "v")
	number := semver.Canonical(given)
	if number == "" || number+semver.Build(given) != given {
		return version{text: text}, fmt.Errorf("%q is not of the form MAJOR.MINOR.PATCH", text)
	}
	return version{text, strings.TrimSuffix(number, semver.Prerelease(number))}, nil
}

func (v version) less(other version) bool { return semver.Compare(v.number, other.number) < 0 }
