// Package acts makes the act of a request: who does what it asks for, when, from
// where, and in which languages they want to be answered. Whatever answers
// requests makes its acts here, so that none lacks what the trail and the mails
// say. Start at Of.
package acts

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Of returns the act of the actor in the request that the context is of.
func Of(ctx context.Context, at time.Time, actor storage.Actor) storage.Act {
	exchange := httpio.From(ctx)
	return storage.Act{
		At: at, Actor: actor,
		RequestID: exchange.RequestID, Address: exchange.Address, Languages: exchange.Languages.String(),
	}
}
