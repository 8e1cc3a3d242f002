package twins

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/portico-id/portico/dataapi/element"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

type elementJSON struct {
	ModelID string      `json:"modelId"`
	Key     string      `json:"key"`
	Values  []valueJSON `json:"values"`
}

type valueJSON struct {
	Family string          `json:"family"`
	Column string          `json:"column"`
	Value  json.RawMessage `json:"value"`
}

// ListElements serves GET /twins/{twinID}/elements.
func (h *Handler) ListElements(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinRead)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	page, err := pageOf(q)
	if err != nil {
		return err
	}
	query := storage.ElementQuery{Keys: q["key"]}
	if query.ModelID, err = h.modelIn(q.Get("modelId")); err != nil {
		return err
	}
	if len(query.Keys) > storage.MaxPage {
		return invalid("key", "At most 200 keys at once.")
	}
	for _, key := range query.Keys {
		if err := element.CheckKey(key); err != nil {
			return fault.From(err).At("key")
		}
	}
	elements, next, err := h.store.ListElements(r.Context(), a.id(), query, page)
	if err != nil {
		return onPage(err)
	}
	shown := make([]elementJSON, len(elements))
	for i, e := range elements {
		shown[i] = elementJSON{h.urn.Model(e.ModelID), e.Key, make([]valueJSON, len(e.Values))}
		for j, v := range e.Values {
			shown[i].Values[j] = valueJSON{v.Family, v.Column, json.RawMessage(v.Value)}
		}
	}
	return write(w, struct {
		Elements []elementJSON `json:"elements"`
		Next     string        `json:"next,omitempty"`
	}{shown, next})
}

// modelIn reads a parameter with a model's URN; empty: none.
func (h *Handler) modelIn(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	uid, ok := h.urn.ModelUID(name)
	if !ok {
		return "", malformed("modelId", h.urn.Model("<id>"))
	}
	return uid, nil
}

type mutationJSON struct {
	Mutation  int64        `json:"mutation"`
	ModelID   string       `json:"modelId"`
	Timestamp int64        `json:"timestamp"`
	Desc      string       `json:"desc"`
	ClientID  string       `json:"clientId,omitempty"`
	UserID    string       `json:"userId,omitempty"`
	Undoes    int64        `json:"undoes,omitempty"`
	UndoneBy  int64        `json:"undoneBy,omitempty"`
	Changes   []changeJSON `json:"changes,omitempty"` // of one that is asked for alone
	Next      string       `json:"next,omitempty"`
}

// changeJSON is what became of a value or, without family and column, of an
// element. What is left out was or is not there.
type changeJSON struct {
	Key    string          `json:"key"`
	Family string          `json:"family,omitempty"`
	Column string          `json:"column,omitempty"`
	Was    json.RawMessage `json:"was,omitempty"`
	Became json.RawMessage `json:"became,omitempty"`
}

func (h *Handler) mutationJSON(m storage.MutationRecord) mutationJSON {
	return mutationJSON{
		Mutation: m.Number, ModelID: h.urn.Model(m.ModelID), Timestamp: m.At.UnixMilli(), Desc: m.Description,
		ClientID: m.Caller.ClientID, UserID: m.Caller.UserID, Undoes: m.Undoes, UndoneBy: m.UndoneBy,
	}
}

// ListMutations serves GET /twins/{twinID}/mutations: the newest first.
func (h *Handler) ListMutations(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinRead)
	if err != nil {
		return err
	}
	page, err := pageOf(r.URL.Query())
	if err != nil {
		return err
	}
	found, next, err := h.store.ListMutations(r.Context(), a.id(), page)
	if err != nil {
		return onPage(err)
	}
	shown := make([]mutationJSON, len(found))
	for i, m := range found {
		shown[i] = h.mutationJSON(m)
	}
	return write(w, struct {
		Mutations []mutationJSON `json:"mutations"`
		Next      string         `json:"next,omitempty"`
	}{shown, next})
}

// GetMutation serves GET /twins/{twinID}/mutations/{mutation}: with what it
// changed.
func (h *Handler) GetMutation(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinRead)
	if err != nil {
		return err
	}
	number, err := mutationIn(r)
	if err != nil {
		return err
	}
	page, err := pageOf(r.URL.Query())
	if err != nil {
		return err
	}
	found, changes, next, err := h.store.FindMutation(r.Context(), a.id(), number, page)
	if err != nil {
		return onPage(fault.OrAbsent(err, "mutation"))
	}
	shown := h.mutationJSON(found)
	shown.Next = next
	for _, c := range changes {
		shown.Changes = append(shown.Changes, changeJSON{c.Key, c.Family, c.Column, json.RawMessage(c.Was),
			json.RawMessage(c.Became)})
	}
	return write(w, shown)
}

func mutationIn(r *http.Request) (int64, error) {
	text, err := httpio.PathID(r, mutationVariable)
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < 1 {
		return 0, fault.New(fault.Invalid, reasonMalformed, "A mutation has a number from 1.").At(mutationVariable)
	}
	return number, nil
}

// Undo serves POST /twins/{twinID}/mutations/{mutation}/undo.
func (h *Handler) Undo(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinReadWrite)
	if err != nil {
		return err
	}
	number, err := mutationIn(r)
	if err != nil {
		return err
	}
	httpio.AtLeisure(w)
	done, err := h.store.UndoMutation(r.Context(), h.change(r, a.who), a.id(), number, "")
	if err != nil {
		return fault.OrAbsent(err, "mutation")
	}
	return write(w, mutated{done.At.UnixMilli(), done.Number})
}
