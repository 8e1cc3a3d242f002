package accounts

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Openable returns a page of the apps that the user can open, by name: those that are
// for them, that the operator vouches for or they have let in, and that say where.
// Whatever else somebody registers is not put before people here.
func (a *Accounts) Openable(ctx context.Context, userID, query string,
	page storage.PageRequest) (storage.Listing[storage.Client], error) {
	filter := storage.ClientFilter{Opener: userID, Query: strings.TrimSpace(query)}
	return a.with.Store.ListClients(ctx, filter, page)
}

// OpenURL is where the app is opened: where it begins a sign-in that the server wants
// (OpenID Connect Core 4), or else its home page.
func (a *Accounts) OpenURL(c storage.Client) string {
	u, err := url.Parse(c.InitiateLoginURI)
	if c.InitiateLoginURI == "" || err != nil {
		return c.HomeURI
	}
	query := u.Query()
	query.Set("iss", a.with.Issuer)
	u.RawQuery = query.Encode()
	return u.String()
}

// openPage lists what the visitor can open.
func (p *Pages) openPage(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	list, err := webpage.ListOf(r)
	if err != nil {
		return err
	}
	apps, err := p.with.Accounts.Openable(r.Context(), v.UserID, list.Get("q"),
		storage.PageRequest{After: list.After, Before: list.Before, Limit: webpage.Rows})
	if list.Strays(len(apps.Rows), err) {
		return list.Begin(w, r)
	}
	if err != nil {
		return err
	}
	page := templates.OpenablePage{
		Desk: desk(r), Back: home(), Search: list.Search(),
		Pager: list.Pager(apps.Previous, apps.Next),
	}
	for _, c := range apps.Rows {
		page.Apps = append(page.Apps, templates.Openable{Name: c.Name, URL: p.with.Accounts.OpenURL(c)})
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Openable(out, page) })
}

// openableJSON is an app that the caller can open.
type openableJSON struct {
	ClientID string `json:"client_id"`
	Name     string `json:"name"`
	URL      string `json:"url"`
}

// ownOpenable serves GET /account/v1/openable-apps.
func (a *API) ownOpenable(w http.ResponseWriter, r *http.Request, c adminapi.Call) error {
	query, page, err := adminapi.Query(r)
	if err != nil {
		return err
	}
	apps, err := a.accounts.Openable(r.Context(), c.User.ID, query.Get("q"), page)
	if err != nil {
		return err
	}
	return adminapi.OK(w, adminapi.Listed(apps, func(c storage.Client) openableJSON {
		return openableJSON{c.ID, c.Name, a.accounts.OpenURL(c)}
	}))
}
