package moving

import (
	"context"
	"errors"
	"io"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
)

// maxBatch is how many entries are judged at once, and all that is in memory.
const maxBatch = 500

// batch is entries of one kind that wait to be judged. No two are about the same
// person or thing: the later one is judged when the earlier one is there.
type batch struct {
	judge
	waiting []numbered
	kind    int
	names   map[string]bool // what the waiting ones are found by
}

// all judges a whole document.
func (b *batch) all(ctx context.Context, lines *lines) error {
	for {
		entry, err := lines.next()
		if errors.Is(err, io.EOF) {
			return b.flush(ctx)
		}
		if f := (*fault.Error)(nil); errors.As(err, &f) {
			b.report.wrong(lines.number, "", nil, err)
			continue
		}
		if err != nil {
			return err
		}
		if entry.Note != "" {
			b.report.note(lines.number, entry.Note)
			continue
		}
		if err := b.add(ctx, numbered{entry, lines.number}); err != nil {
			return err
		}
	}
}

func (b *batch) add(ctx context.Context, one numbered) error {
	kind, names := one.names()
	meets := false
	for _, name := range names {
		meets = meets || b.names[name]
	}
	if kind != b.kind || meets || len(b.waiting) == maxBatch {
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	b.kind, b.waiting = kind, append(b.waiting, one)
	for _, name := range names {
		b.names[name] = true
	}
	return nil
}

// names returns the kind of the entry, and what it is found by.
func (e Entry) names() (kind int, names []string) {
	switch {
	case e.Group != nil:
		return 1, []string{textkey.Fold(e.Group.Name)}
	case e.Client != nil:
		return 2, []string{e.Client.ID}
	}
	for _, field := range []string{fieldID, fieldEmail, fieldUsername} {
		if name := e.User.text(field); name != "" {
			names = append(names, textkey.Fold(name))
		}
	}
	return 3, names
}

// flush judges what waits, and adds what is new and in order.
func (b *batch) flush(ctx context.Context) error {
	waiting := b.waiting
	b.waiting, b.names = nil, map[string]bool{}
	if len(waiting) == 0 {
		return nil
	}
	switch b.kind {
	case 1:
		return b.groups(ctx, waiting)
	case 2:
		return b.clients(ctx, waiting)
	}
	return b.people(ctx, waiting)
}
