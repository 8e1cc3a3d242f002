package engine

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// CheckFree refuses a change of an item that somebody else has reserved.
func CheckFree(item storage.Item, change storage.Change) error {
	holder := item.ReservedFor(change.At)
	if holder == "" || holder == change.Caller.UserID {
		return nil
	}
	return fault.New(fault.Locked, storage.ReasonReserved, "Somebody else has reserved the item.").
		With(storage.FactHolder, holder).With(storage.FactUntil, item.ReservedUntil.UTC().Format(time.RFC3339Nano)).
		After(item.ReservedUntil.Sub(change.At))
}
