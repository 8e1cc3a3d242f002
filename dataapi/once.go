package dataapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

const (
	onceHeader = "Idempotency-Key"
	maxOnce    = 255 // characters

	// ReasonKeyReused is that of a key that came with another request before.
	ReasonKeyReused = "idempotency_key_reused"
)

// creation is a POST under way: who creates, in which project, and what was
// sent.
type creation struct {
	storage.Place
	who    storage.Caller
	change storage.Change
	in     *jsonapi.Input
}

// creation reads a request that creates a resource of the type.
func (h *Handler) creation(w http.ResponseWriter, r *http.Request, kind string) (creation, error) {
	place, err := h.find.ReachProject(r, false)
	if err != nil {
		return creation{}, err
	}
	in, err := jsonapi.ReadInput(w, r, kind)
	if err != nil {
		return creation{}, err
	}
	// JSON:API 1.0, Client-Generated IDs.
	if id := in.Member("data", "id"); id.Given() {
		return creation{}, id.At(fault.New(fault.Forbidden, "client_generated_id", "The server makes the ids: leave it out."))
	}
	who := place.Standing.Caller
	change := h.change(r, who)
	change.Once, err = onceOf(r, who, in.Body)
	return creation{Place: place, who: who, change: change, in: in}, err
}

// onceOf names the request for the store, if its client does.
func onceOf(r *http.Request, who storage.Caller, body []byte) (storage.Once, error) {
	keys := r.Header.Values(onceHeader)
	if len(keys) == 0 {
		return storage.Once{}, nil
	}
	odd := func(c rune) bool { return c < ' ' || c > '~' }
	if len(keys) > 1 || keys[0] == "" || len(keys[0]) > maxOnce || strings.ContainsFunc(keys[0], odd) {
		return storage.Once{}, fault.Newf(fault.Invalid, jsonapi.ReasonInvalid,
			"Send one key of 1 to %d ASCII characters.", maxOnce).At(onceHeader)
	}
	return storage.Once{
		Key:         digest(who.ClientID, who.UserID, keys[0]),
		Fingerprint: digest(r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body)),
	}, nil
}

// digest returns one word for the parts, which hold no zero bytes.
func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// once runs an act unless the request was carried out within a day, and returns
// what came of it, then or now. Whoever repeats a request is shown what they may
// see by now: again looks it up for them.
func once[T any](ctx context.Context, h *Handler, change storage.Change, act func() (T, error),
	again func(storage.Done) (T, error)) (T, error) {
	var none T
	for {
		done, err := h.doneBefore(ctx, change)
		if err != nil {
			return none, err
		}
		if done != nil {
			return again(*done)
		}
		made, err := act()
		if !fault.HasReason(err, storage.ReasonDone) {
			return made, err
		}
		// The same request has overtaken this one: its record is there now,
		// unless its day has just ended.
	}
}

// doneBefore returns what came of the request when it was carried out, nil when
// it was not.
func (h *Handler) doneBefore(ctx context.Context, change storage.Change) (*storage.Done, error) {
	if change.Once.Key == "" {
		return nil, nil
	}
	done, err := h.store.FindDone(ctx, change.Once.Key, change.At)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case done.Fingerprint != change.Once.Fingerprint:
		return nil, fault.New(fault.Conflict, ReasonKeyReused,
			"The key came with another request before: take a new one.").At(onceHeader)
	}
	return &done, nil
}
