package twins

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/portico-id/portico/storage"
)

// accessHeader says what the caller may do (decision X4).
const accessHeader = "X-Dt-Access-Level"

// facilityJSON is a facility as existing clients read it.
type facilityJSON struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	HubID        string          `json:"hubId"`
	AccessLevel  string          `json:"accessLevel"`
	Links        []linkJSON      `json:"links"` // models
	Docs         []documentJSON  `json:"docs"`
	Props        json.RawMessage `json:"props"`
	DateCreated  string          `json:"dateCreated"`
	DateModified string          `json:"dateModified"`
}

type linkJSON struct {
	ModelID     string   `json:"modelId"`
	Label       string   `json:"label"`
	AccessLevel string   `json:"accessLevel"`
	Main        bool     `json:"main"`
	On          bool     `json:"on"`
	Default     bool     `json:"default"`
	Disciplines []string `json:"disciplines"`
}

// GetFacility serves GET /twins/{twinID}.
func (h *Handler) GetFacility(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinRead)
	if err != nil {
		return err
	}
	access := accessName(a.place.Access())
	w.Header().Set(accessHeader, access)
	f := a.place.Facility
	shown := facilityJSON{
		ID: h.urn.Twin(f.ID), Name: f.Name, HubID: f.HubID, AccessLevel: access, Links: []linkJSON{}, Docs: []documentJSON{},
		Props: json.RawMessage("{}"), DateCreated: formatTime(f.CreatedAt), DateModified: formatTime(f.ModifiedAt),
	}
	if f.Props != "" {
		shown.Props = json.RawMessage(f.Props)
	}
	models, err := h.store.ListModels(r.Context(), f.ID)
	if err != nil {
		return err
	}
	for _, m := range models {
		shown.Links = append(shown.Links, linkJSON{h.urn.Model(m.ID), m.Label, access, m.Default, true, m.Default, nil})
	}
	for page := (storage.PageRequest{}); ; {
		documents, next, err := h.store.ListDocuments(r.Context(), f.ID, storage.DocumentQuery{}, page)
		if err != nil {
			return err
		}
		for _, d := range documents {
			shown.Docs = append(shown.Docs, h.documentJSON(a, d, usualLife))
		}
		if page.After = next; next == "" {
			return write(w, shown)
		}
	}
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
