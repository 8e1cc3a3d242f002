package registration

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

const tokenVariable = "tokenId"

// API is the operations under /admin/v1/registrations.
type API struct {
	registrar *Registrar
	door      *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(registrar *Registrar, door *adminapi.Door) *API { return &API{registrar, door} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At("/registrations").Get(a.door.Read(a.list)),
		httpio.At("/registration-tokens").Get(a.door.Read(a.tokens)).Post(a.door.Write(a.addToken)),
		httpio.At("/registration-tokens/{tokenId}").Delete(a.door.Write(a.endToken)),
	}
}

// EnrolmentJSON is how a client registered itself, in the API and on the command line.
type EnrolmentJSON struct {
	ClientID string    `json:"client_id"`
	Name     string    `json:"name"`
	TokenID  string    `json:"token_id"` // empty: it needed none
	Token    string    `json:"token_label"`
	Address  string    `json:"address"`
	Used     bool      `json:"used"`
	Disabled bool      `json:"disabled"`
	At       time.Time `json:"created_at"`
}

// NewEnrolmentJSON tells of one.
func NewEnrolmentJSON(e storage.Enrolment) EnrolmentJSON {
	return EnrolmentJSON{ClientID: e.ClientID, Name: e.ClientName, TokenID: e.TokenID, Token: e.TokenLabel,
		Address: e.Address, Used: e.Used, Disabled: e.Disabled, At: e.CreatedAt}
}

// TokenJSON is an initial token in the API, and on the command line.
type TokenJSON struct {
	ID       string    `json:"id"`
	Label    string    `json:"label"`
	Token    string    `json:"token,omitempty"` // when it is made, this once
	UsesLeft int       `json:"uses_left"`
	At       time.Time `json:"created_at"`
	EndsAt   time.Time `json:"ends_at"`
}

// NewTokenJSON tells of a token.
func NewTokenJSON(t storage.InitialToken) TokenJSON {
	return TokenJSON{ID: t.ID, Label: t.Label, UsesLeft: t.UsesLeft, At: t.CreatedAt, EndsAt: t.EndsAt}
}

// list serves GET /admin/v1/registrations.
func (a *API) list(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	all, err := a.registrar.List(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", NewEnrolmentJSON))
}

// tokens serves GET /admin/v1/registration-tokens.
func (a *API) tokens(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	all, err := a.registrar.Tokens(r.Context())
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(all, "", NewTokenJSON))
}

// addToken serves POST /admin/v1/registration-tokens.
func (a *API) addToken(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	var body struct {
		Label string `json:"label"`
		Uses  int    `json:"uses"`
		Days  int    `json:"days"`
	}
	body.Uses, body.Days = SomeUses, SomeDays
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return err
	}
	token, text, err := a.registrar.AddToken(r.Context(), c.Act, body.Label, body.Uses, body.Days)
	if err != nil {
		return err
	}
	told := NewTokenJSON(token)
	told.Token = text
	return adminapi.Created(w, "registration-tokens/"+token.ID, told)
}

// endToken serves DELETE /admin/v1/registration-tokens/{tokenId}.
func (a *API) endToken(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	id, err := httpio.PathID(r, tokenVariable)
	if err != nil {
		return err
	}
	if err := a.registrar.EndToken(r.Context(), c.Act, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
