package factors

import (
	"context"
	"io"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// userOf returns the user whom the path names.
func (f *Factors) userOf(r *http.Request) (storage.User, error) {
	id, err := httpio.PathID(r, userVariable)
	if err != nil {
		return storage.User{}, err
	}
	user, err := f.with.Store.FindUser(r.Context(), id)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, ReasonNoUser, "There is no such user.").Because(err)
	}
	return user, err
}

func (p *Pages) ofUser(page func(w http.ResponseWriter, r *http.Request, v websession.Visit,
	u storage.User) error) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		user, err := p.factors.userOf(r)
		if err != nil {
			return err
		}
		return page(w, r, v, user)
	}
}

// askLost serves the question before an administrator removes a factor.
func (p *Pages) askLost(w http.ResponseWriter, r *http.Request, _ websession.Visit, u storage.User) error {
	of := usersPath + "/" + u.ID
	if !u.TwoFactor {
		return webpage.See(w, r, of)
	}
	page := templates.ConfirmPage{
		Desk: webpage.Desk(r, templates.SectionUsers, nil), Back: templates.Link{URL: of, Text: texts.Own(u.Title())},
		Heading: texts.Say("security.lost.ask", "Name", u.Title()),
		Stops: []texts.Text{texts.Say("security.lost.sure"), texts.Say("security.lost.ends"),
			texts.Say("security.lost.told")},
		Action: of + lostPath, Submit: texts.Say("security.lost.remove"), CancelURL: of,
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Confirm(out, page) })
}

func (p *Pages) removeLost(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	if err := p.factors.removeOthers(r.Context(), v.Act, u); err != nil {
		return err
	}
	return webpage.See(w, r, usersPath+"/"+u.ID+"?done=factor-removed")
}

// removeOthers is RemoveLost for an administrator who is asked by the web: nobody
// gets around their own factor by it.
func (f *Factors) removeOthers(ctx context.Context, act storage.Act, u storage.User) error {
	if act.Actor.ID == u.ID {
		return fault.New(fault.Conflict, "yourself",
			"You can’t remove your own second factor here: do that on your own page, with a code.")
	}
	return f.RemoveLost(ctx, act, u)
}

// API is the operations under /admin/v1/users/{userId}/second-factor.
type API struct {
	factors *Factors
	door    *adminapi.Door
}

// NewAPI returns the operations.
func NewAPI(factors *Factors, door *adminapi.Door) *API { return &API{factors, door} }

// Routes are the operations.
func (a *API) Routes() []httpio.Route {
	return []httpio.Route{httpio.At("/users/{userId}" + lostPath).Delete(a.door.Write(a.remove))}
}

// remove serves DELETE /admin/v1/users/{userId}/second-factor.
func (a *API) remove(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	user, err := a.factors.userOf(r)
	if err != nil {
		return err
	}
	if err := a.factors.removeOthers(r.Context(), c.Act, user); err != nil {
		return err
	}
	return adminapi.NoContent(w)
}
