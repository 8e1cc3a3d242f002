// Package moving brings people, groups and clients over from another product: from a
// document of one JSON object a line, in one transaction that keeps all of it or
// nothing, or with what is wrong left out if that is wanted.
//
// Who or what is here already is never changed, so that the same document a second
// time does nothing. The rules for a person are those of package people and for a
// client those of package apps; they come in as functions. Start with Import; the
// files that are called as other products write their form as such a document.
package moving

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Moving imports documents. It is safe for concurrent use.
type Moving struct{ Options }

// New returns a Moving.
func New(options Options) *Moving { return &Moving{options} }

// How says what an import does.
type How struct {
	DryRun    bool // nothing is kept
	KeepGoing bool // what is wrong is left out, and the rest is kept
}

// errStays ends a transaction that keeps nothing, though nothing failed.
var errStays = fault.New(fault.Conflict, "import_stays", "Nothing is to be kept.")

// Import reads the document, from its beginning, and takes in what it says. A report
// whose Wrong is not 0 has Imported only when that was to be left out. The error is one
// of the store or of reading.
func (m *Moving) Import(ctx context.Context, act storage.Act, document io.ReadSeeker, how How) (Report, error) {
	var report *Report
	err := m.Store.Arrive(ctx, act, func(in storage.Arriving) error {
		if _, err := document.Seek(0, io.SeekStart); err != nil {
			return err
		}
		report = newReport()
		b := &batch{judge: judge{with: m.Options, in: in, act: act, report: report}}
		if err := b.all(ctx, &lines{in: bufio.NewReader(document)}); err != nil {
			return err
		}
		if how.DryRun || report.Wrong > 0 && !how.KeepGoing {
			return errStays
		}
		return nil
	})
	if errors.Is(err, errStays) {
		return *report, nil
	}
	if err != nil {
		return Report{}, err
	}
	report.Imported = true
	return *report, nil
}
