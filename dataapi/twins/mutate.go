package twins

import (
	"encoding/json"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/portico-id/portico/dataapi/element"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

const (
	maxOperations  = 5000
	maxDescription = 1000 // characters
)

// mutation is the body of a mutate (decision W3): an operation for each key.
type mutation struct {
	TwinID  string              `json:"twinId"`
	ModelID string              `json:"modelId"`
	Keys    []string            `json:"keys"`
	Muts    [][]json.RawMessage `json:"muts"`
	Desc    string              `json:"desc"`
}

// mutated is its answer.
type mutated struct {
	Timestamp int64 `json:"timestamp"` // milliseconds since 1970
	Mutation  int64 `json:"mutation"`  // number in the history; 0: nothing was changed
}

// Mutate serves POST /mutate: the body names a twin or a model.
func (h *Handler) Mutate(w http.ResponseWriter, r *http.Request) error {
	var body mutation
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	switch {
	case body.ModelID != "":
		return inBody(h.mutateModel(w, r, body.ModelID, body))
	case body.TwinID == "":
		return invalid("/twinId", "Name the twin or the model.")
	}
	a, err := h.enter(r, body.TwinID, storage.TwinReadWrite)
	if err != nil {
		return inBody(err)
	}
	return h.mutate(w, r, a, "", body)
}

// MutateTwin serves POST /twins/{twinID}/mutate: the default model, unless the
// body names another.
func (h *Handler) MutateTwin(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinReadWrite)
	if err != nil {
		return err
	}
	var body mutation
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	model := ""
	if body.ModelID != "" {
		var ok bool
		if model, ok = h.urn.ModelUID(body.ModelID); !ok {
			return malformed("/modelId", h.urn.Model("<id>"))
		}
	}
	return h.mutate(w, r, a, model, body)
}

// MutateModel serves POST /modeldata/{modelID}/mutate.
func (h *Handler) MutateModel(w http.ResponseWriter, r *http.Request) error {
	name, err := httpio.PathID(r, modelVariable)
	if err != nil {
		return err
	}
	var body mutation
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	return h.mutateModel(w, r, name, body)
}

func (h *Handler) mutateModel(w http.ResponseWriter, r *http.Request, name string, body mutation) error {
	a, model, err := h.enterModel(r, name)
	if err != nil {
		return err
	}
	return h.mutate(w, r, a, model, body)
}

func (h *Handler) mutate(w http.ResponseWriter, r *http.Request, a asked, model string, body mutation) error {
	if body.TwinID != "" && body.TwinID != h.urn.Twin(a.id()) {
		return invalid("/twinId", "The request is about another twin.")
	}
	changes, err := body.changes()
	if err != nil {
		return err
	}
	done, err := h.store.Mutate(r.Context(), h.change(r, a.who), storage.Mutation{
		FacilityID: a.id(), ModelID: model, Description: body.Desc, Changes: changes,
	})
	if fault.HasReason(err, storage.ReasonModelAbsent) {
		return fault.From(err).At("/modelId")
	}
	if fault.Is(err, fault.Invalid) {
		return atOperation(err)
	}
	if err != nil {
		return fault.OrAbsent(err, "twin")
	}
	return write(w, mutated{done.At.UnixMilli(), done.Number})
}

// changes reads the operations.
func (m mutation) changes() ([]storage.ElementChange, error) {
	switch {
	case len(m.Keys) == 0 || len(m.Keys) != len(m.Muts):
		return nil, invalid("/muts", "keys and muts have the same number of entries, and at least one.")
	case len(m.Keys) > maxOperations:
		return nil, invalid("/muts", "At most 5000 operations at once.")
	case utf8.RuneCountInString(m.Desc) > maxDescription:
		return nil, invalid("/desc", "The description has at most 1000 characters.")
	}
	changes := make([]storage.ElementChange, len(m.Keys))
	for i, key := range m.Keys {
		if err := element.CheckKey(key); err != nil {
			return nil, fault.From(err).At("/keys/" + strconv.Itoa(i))
		}
		change, err := operation(m.Muts[i])
		if err != nil {
			return nil, fault.From(err).At("/muts/" + strconv.Itoa(i))
		}
		change.Key = key
		changes[i] = change
	}
	return changes, nil
}

// operation reads [op, family, column, value].
func operation(parts []json.RawMessage) (storage.ElementChange, error) {
	wrong := fault.New(fault.Invalid, reasonInvalid,
		`An operation looks like ["i", family, column, value], with the op i, c, d or a.`)
	var words [3]string
	for i := range min(len(parts), len(words)) {
		if json.Unmarshal(parts[i], &words[i]) != nil {
			return storage.ElementChange{}, wrong
		}
	}
	change := storage.ElementChange{Op: storage.ValueOp(words[0]), Family: words[1], Column: words[2]}
	switch {
	case len(parts) == 0 || len(parts) > 4:
		return change, wrong
	case change.Op == storage.OpDelete:
		return storage.ElementChange{Op: change.Op}, nil
	case change.Op != storage.OpWrite && change.Op != storage.OpWriteDiff && change.Op != storage.OpClear:
		return change, wrong
	}
	if err := element.CheckColumn(change.Family, change.Column); err != nil || change.Op == storage.OpClear {
		return change, err
	}
	if len(parts) < 4 {
		return change, wrong
	}
	var err error
	change.Value, err = element.Value(parts[3])
	return change, err
}

// atOperation says which operation the store's refusal is about.
func atOperation(err error) error {
	f := fault.From(err)
	if _, failed := strconv.Atoi(f.Source); failed != nil {
		return f
	}
	return f.At("/muts/" + f.Source)
}
