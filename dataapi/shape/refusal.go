package shape

import (
	"cmp"
	"context"
	"time"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// MatchHeader names the state that a change depends on, and OtherHeader one on whose not being
// there it does.
const (
	MatchHeader = "If-Match"
	OtherHeader = "If-None-Match"
)

// Sources say which part of a request a refusal is about: one of the store by its
// reason, one of the rules by the place that it names.
type Sources map[string]string

// Located returns the store's refusal with its place in the request, and with
// the name of whoever has reserved the item.
func (t Teller) Located(ctx context.Context, err error, places Sources) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	switch f.Reason {
	case storage.ReasonChanged:
		return f.At(cmp.Or(f.Source, MatchHeader))
	case storage.ReasonReserved:
		return t.reservedBy(ctx, f)
	}
	if place := places[f.Reason]; place != "" {
		return f.At(place)
	}
	if place, named := places[f.Source]; named {
		return f.At(place)
	}
	return f
}

// Placed returns a refusal with its place in the request.
func Placed(err error, place string) error {
	switch f := fault.From(err); {
	case f == nil:
		return nil
	case f.Kind == fault.NotFound, f.Kind == fault.Forbidden, f.Kind == fault.Invalid:
		return f.At(place)
	}
	return err
}

// reservedBy gives the facts of a reservation the forms of the API.
func (t Teller) reservedBy(ctx context.Context, f *fault.Error) error {
	holder := f.Facts[storage.FactHolder]
	shown, err := t.Show(ctx, nil, holder)
	if err != nil {
		return err
	}
	until, err := time.Parse(time.RFC3339Nano, f.Facts[storage.FactUntil])
	if err != nil {
		return err
	}
	return f.With("reservedUserName", shown.Names[holder]).With(storage.FactUntil, jsonapi.FormatTime(until))
}
