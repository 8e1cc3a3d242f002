package outbox

import (
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// API is the operations under /admin/v1/mails.
type API struct {
	outbox *Outbox
	door   *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(o *Outbox, door *adminapi.Door) *API { return &API{outbox: o, door: door} }

// JSON is a mail in the API and on the command line. What it says is nobody's to
// read.
type JSON struct {
	ID          int64      `json:"id"`
	State       string     `json:"state"` // delivered, waiting or failed
	Kind        string     `json:"kind"`
	To          string     `json:"to"`
	UserID      string     `json:"user_id,omitempty"`
	Attempts    int        `json:"attempts"`
	CreatedAt   time.Time  `json:"created_at"`
	LastAt      *time.Time `json:"last_at,omitempty"`
	LastStatus  int        `json:"last_status,omitempty"` // reply of the mail server
	Failure     string     `json:"failure,omitempty"`
	NextAt      *time.Time `json:"next_at,omitempty"`
	DeliveredAt *time.Time `json:"delivered_at,omitempty"`
}

// NewJSON returns the mail as the API has it.
func NewJSON(m storage.Mail) JSON {
	return JSON{
		ID: m.ID, State: m.State(), Kind: m.Kind, To: m.To, UserID: m.UserID, Attempts: m.Attempts, CreatedAt: m.CreatedAt,
		LastAt: adminapi.Moment(m.LastAt), LastStatus: m.LastStatus, Failure: m.Failure, NextAt: adminapi.Moment(m.NextAt),
		DeliveredAt: adminapi.Moment(m.DeliveredAt),
	}
}

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At("/mails").Get(a.door.Read(a.list)),
		httpio.At("/mails/test").Post(a.door.Write(a.test)),
		httpio.At("/mails/{mailId}/resend").Post(a.door.Write(a.resend)),
	}
}

func (a *API) list(w http.ResponseWriter, r *http.Request, _ adminapi.Call) error {
	query, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	mails, next, err := a.outbox.List(r.Context(), query.Get("to"), page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.NewList(mails, next, NewJSON))
}

func (a *API) resend(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	id, err := mailID(r)
	if err != nil {
		return err
	}
	if err := a.outbox.Resend(r.Context(), c.Act, id); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}

// test sends a mail to the caller.
func (a *API) test(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	if err := a.outbox.SendTest(r.Context(), c.Act, c.User.Email, c.User.Email); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
