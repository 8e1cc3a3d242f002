package tree

import (
	"context"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// facets are what has an event of its own when it is changed, of folder and item.
type facets struct {
	name, parent string
	hidden       bool
}

type changeKinds struct{ renamed, moved, hidden, restored, updated string }

// tellAll writes an event for each facet among the columns that have changed, and
// one for all that are none.
func (t tx) tellAll(ctx context.Context, change storage.Change, place engine.Where, kinds changeKinds,
	changed []string, was, now facets) error {
	updated := false
	for _, column := range changed {
		kind, more := kinds.updated, engine.Detail(nil)
		switch column {
		case "name":
			kind, more = kinds.renamed, engine.Detail{"from": was.name, "to": now.name}
		case "parent_id", "folder_id":
			kind, more = kinds.moved, engine.Detail{"from": was.parent, "to": now.parent}
		case "hidden":
			kind = kinds.restored
			if now.hidden {
				kind = kinds.hidden
			}
		default:
			if updated {
				continue
			}
			updated = true
		}
		if err := t.Tell(ctx, change, kind, place, more); err != nil {
			return err
		}
	}
	return nil
}

// seen counts what is not hidden.
func seen(hidden bool) int {
	if hidden {
		return 0
	}
	return 1
}
