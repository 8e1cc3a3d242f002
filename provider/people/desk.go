package people

import (
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// DeskOptions are what a Desk is made of. Every field is needed.
type DeskOptions struct {
	BaseURL  string // of the links that are handed out
	People   *People
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Desk is the pages of administrators about users, groups and the audit trail,
// and the two pages that one-time links lead to.
type Desk struct {
	with   DeskOptions
	people *People
	gate   *websession.Gate
}

// NewDesk returns a desk.
func NewDesk(o DeskOptions) *Desk {
	return &Desk{with: o, people: o.People, gate: o.Sessions.Gate(o.Web.Error)}
}

// Paths of the pages below the base URL.
const (
	usersPath    = "/admin/users"
	groupsPath   = "/admin/groups"
	auditPath    = "/admin/audit"
	setUpPath    = "/setup"
	passwordPath = "/password"
)

// The variables of the routes.
const (
	userVariable  = "userId"
	groupVariable = "groupId"
	eventVariable = "eventId"
)

// ReasonAdministratorsOnly is the reason of the Forbidden fault of everybody
// else.
const ReasonAdministratorsOnly = "administrators_only"

// administrators lets a page through to them alone. Whoever is no administrator
// at this very request is refused, whatever the page.
func administrators(page websession.Page) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		if !v.User.Admin {
			return fault.New(fault.Forbidden, ReasonAdministratorsOnly, "This page is for administrators of this server.")
		}
		return page(w, r, v)
	}
}

func (d *Desk) show(page websession.Page) http.Handler { return d.gate.Show(administrators(page)) }
func (d *Desk) form(page websession.Page) http.Handler { return d.gate.Form(administrators(page)) }

// done says what a form did, when the next page is asked with its key.
var done = map[string]string{
	"created":  "The user is added.",
	"edited":   "The changes are saved.",
	"disabled": "The user is disabled. Their sign-ins and tokens end within a second.",
	"enabled":  "The user is enabled. What ended does not come back.",
	"deleted":  "It is deleted.",
	"ended":    "They are signed out everywhere, and their tokens have ended.",
	"promoted": "They are an administrator now.",
	"demoted":  "They are not an administrator any more.",
	"added":    "They are in the group now.",
	"removed":  "They are not in the group any more.",
}

func desk(r *http.Request, v websession.Visit, section templates.Section) templates.Desk {
	return templates.Desk{
		Frame:   webpage.Frame(r),
		Account: v.User.Email, Admin: v.User.Admin, Section: section, Done: done[r.URL.Query().Get("done")],
	}
}

// pageSize is how many rows a page of a list has.
const pageSize = 50

// pageOf reads the cursor, and any other parameter, of a list.
func pageOf(r *http.Request) (url.Values, storage.PageRequest, error) {
	query, err := httpio.ReadQuery(r)
	return query, storage.PageRequest{After: query.Get("after"), Limit: pageSize}, err
}

// nextURL is the address of the page after, or "".
func nextURL(path string, query url.Values, cursor string) string {
	if cursor == "" {
		return ""
	}
	next := url.Values{}
	for name, values := range query {
		if name != "done" {
			next[name] = values
		}
	}
	next.Set("after", cursor)
	return path + "?" + next.Encode()
}

func (d *Desk) send(w http.ResponseWriter, status int, render func(io.Writer) error) error {
	return d.with.Web.Send(w, status, render)
}
