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
	content, ok := h.pager.OpenCursor(feedLabel, cursor, projectID)
	if !ok {
		return 0, badFeedCursor()
	}
	epoch := uint64(0)
	if len(content) > 8 {
		epoch = binary.BigEndian.Uint64(content[8:])
	}
	if int64(epoch) != h.epoch {
		return 0, goneCursor()
	}
	return int64(binary.BigEndian.Uint64(content)), nil
}

// feedCursor is the position for the clients of the project, and since when it is that.
func (h *Handler) feedCursor(projectID string, position int64) string {
	content := binary.BigEndian.AppendUint64(nil, uint64(position))
	if h.epoch != 0 {
		content = binary.BigEndian.AppendUint64(content, uint64(h.epoch))
	}
	return h.pager.Cursor(feedLabel, content, projectID)
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
	return goneCursor()
}

func goneCursor() error {
	return fault.New(fault.Gone, storage.ReasonCursorGone, "What was changed behind this cursor is no longer known here. "+
		"Leave the cursor out, or send cursor=now, and read again what you hold a copy of.").At(textCursor)
}
