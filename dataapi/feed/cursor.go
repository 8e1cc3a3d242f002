package feed

import (
	"context"
	"encoding/binary"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

const (
	// cursorNow begins with what happens from now on.
	cursorNow = "now"

	feedLabel = "change feed cursor"
)

// feedStart returns the position that the query's cursor stands for, 0 without
// one.
func (h *Handler) feedStart(ctx context.Context, projectID string, q jsonapi.Query) (int64, error) {
	cursor, given := q.Text(textCursor)
	switch {
	case !given:
		return 0, nil
	case cursor == cursorNow:
		if err := h.stamp(ctx); err != nil {
			return 0, err
		}
		return h.store.LastPosition(ctx)
	}
	position, ok := h.pager.OpenCursor(feedLabel, cursor, projectID)
	if !ok {
		return 0, badFeedCursor()
	}
	return int64(binary.BigEndian.Uint64(position)), nil
}

// feedCursor is the position for the clients of the project.
func (h *Handler) feedCursor(projectID string, position int64) string {
	return h.pager.Cursor(feedLabel, binary.BigEndian.AppendUint64(nil, uint64(position)), projectID)
}

func badFeedCursor() error {
	return badText(textCursor, "The cursor is none that this feed gave out. Send meta.cursor of an earlier answer as it is, "+
		"or leave the cursor out to begin with the oldest change that is kept.")
}

func badText(name, detail string) error {
	return fault.New(fault.Invalid, jsonapi.ReasonInvalid, detail).At(name)
}

// atCursor says which parameter led to nowhere, and what to do.
func atCursor(err error) error {
	if !fault.HasReason(err, storage.ReasonCursorGone) {
		return err
	}
	return fault.New(fault.Gone, storage.ReasonCursorGone, "What was changed behind this cursor is no longer kept. "+
		"Leave the cursor out, or send cursor=now, and read again what you hold a copy of.").At(textCursor)
}
