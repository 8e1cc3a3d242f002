package facilities

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// TwinJSON is a facility in the API.
type TwinJSON struct {
	ID         string          `json:"id"` // URN
	HubID      string          `json:"hub_id"`
	Name       string          `json:"name"`
	Props      json.RawMessage `json:"props"`
	CreatedAt  time.Time       `json:"created_at"`
	ModifiedAt time.Time       `json:"modified_at"`
}

// TwinJSON tells of a twin.
func (a *Rules) TwinJSON(f storage.Facility) TwinJSON {
	props := json.RawMessage(f.Props)
	if f.Props == "" {
		props = json.RawMessage("{}")
	}
	return TwinJSON{a.TwinURN(f.ID), f.HubID, f.Name, props, f.CreatedAt, f.ModifiedAt}
}

// twinChange is what a facility is to be, or become; nil leaves a field alone.
type twinChange struct {
	Name  *string                      `json:"name"`
	Props map[string]map[string]string `json:"props"`
}

func (c twinChange) props() *string {
	if c.Props == nil {
		return nil
	}
	text, _ := json.Marshal(c.Props) // texts can always be encoded
	props := string(text)
	return &props
}

// listTwins serves GET /admin/v1/hubs/{hubId}/twins.
func (a *API) listTwins(w http.ResponseWriter, r *http.Request, e errand) error {
	_, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	twins, next, err := a.rules.Page(r.Context(), e.hub.ID, page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(twins, next, a.rules.TwinJSON))
}

// createTwin serves POST /admin/v1/hubs/{hubId}/twins.
func (a *API) createTwin(w http.ResponseWriter, r *http.Request, e errand) error {
	var body twinChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	wanted := NewTwin{HubID: e.hub.ID}
	if body.Name != nil {
		wanted.Name = *body.Name
	}
	if props := body.props(); props != nil {
		wanted.Props = *props
	}
	twin, err := a.rules.Create(r.Context(), e.change, wanted)
	if err != nil {
		return err
	}
	return adminapi.Created(w, "twins/"+a.rules.TwinURN(twin.ID), a.rules.TwinJSON(twin))
}

// showTwin serves GET /admin/v1/twins/{twinId}.
func (a *API) showTwin(w http.ResponseWriter, _ *http.Request, e errand) error {
	return adminapi.OK(w, a.rules.TwinJSON(e.twin))
}

// changeTwin serves PATCH /admin/v1/twins/{twinId}.
func (a *API) changeTwin(w http.ResponseWriter, r *http.Request, e errand) error {
	var body twinChange
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	twin, err := a.rules.Update(r.Context(), e.change, e.twin.ID, body.Name, body.props())
	if err != nil {
		return err
	}
	return adminapi.OK(w, a.rules.TwinJSON(twin))
}

// ModelJSON is a model in the API.
type ModelJSON struct {
	ID        string    `json:"id"` // URN
	Label     string    `json:"label"`
	Default   bool      `json:"default"`
	CreatedAt time.Time `json:"created_at"`
}

// ModelJSON tells of a model.
func (a *Rules) ModelJSON(m storage.TwinModel) ModelJSON {
	return ModelJSON{a.ModelURN(m.ID), m.Label, m.Default, m.CreatedAt}
}

// listModels serves GET /admin/v1/twins/{twinId}/models.
func (a *API) listModels(w http.ResponseWriter, r *http.Request, e errand) error {
	models, err := a.rules.ListModels(r.Context(), e.twin.ID)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(models, "", a.rules.ModelJSON))
}

// createModel serves POST /admin/v1/twins/{twinId}/models.
func (a *API) createModel(w http.ResponseWriter, r *http.Request, e errand) error {
	var body struct {
		Label string `json:"label"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	model, err := a.rules.CreateModel(r.Context(), e.change, e.twin.ID, body.Label)
	if err != nil {
		return err
	}
	return adminapi.WriteJSON(w, http.StatusCreated, a.rules.ModelJSON(model))
}

// ImportedJSON is what came of a file of elements.
type ImportedJSON struct {
	Elements int   `json:"elements"`
	Values   int   `json:"values"`
	Mutation int64 `json:"mutation"` // 0: all was there already
}
