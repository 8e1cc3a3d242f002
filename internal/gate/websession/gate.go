package websession

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Visit is one request of a signed-in person.
type Visit struct {
	Session
	Act storage.Act // what the person does with the request is audited as this

	show func(w http.ResponseWriter, r *http.Request, page any, then string) error // see Show
}

// Page is a handler for a signed-in person.
type Page func(w http.ResponseWriter, r *http.Request, v Visit) error

// ReasonAdministratorsOnly is the reason of the Forbidden fault of everybody
// else.
const ReasonAdministratorsOnly = "administrators_only"

// Administrators lets a page through to administrators of the server alone.
// Whoever is none at this very request is refused, whatever the page.
func Administrators(page Page) Page {
	return func(w http.ResponseWriter, r *http.Request, v Visit) error {
		if !v.User.Admin {
			return fault.New(fault.Forbidden, ReasonAdministratorsOnly, "This page is for administrators of this server.")
		}
		return page(w, r, v)
	}
}

// ReasonSignInFirst is the reason of the Unauthenticated fault of a form that
// comes when nobody is signed in any more.
const ReasonSignInFirst = "sign_in_first"

// Gate lets signed-in people through, and nobody else.
type Gate struct {
	sessions   *Manager
	writeError httpio.ErrorWriter
	protect    func(http.Handler) http.Handler
}

// Gate returns a gate whose refusals are written with writeError.
func (m *Manager) Gate(writeError httpio.ErrorWriter) *Gate {
	return &Gate{sessions: m, writeError: writeError, protect: Protect(writeError)}
}

// Show serves a page. Whoever is not signed in is asked to sign in and comes
// back to it.
func (g *Gate) Show(page Page) httpio.Endpoint {
	return httpio.Open(g.writeError, func(w http.ResponseWriter, r *http.Request) error {
		visit, signedIn, err := g.sessions.visit(r)
		if err != nil {
			return err
		}
		if !signedIn {
			w.Header().Set("Cache-Control", "no-store")
			http.Redirect(w, r, signInPath(r.URL), http.StatusSeeOther)
			return nil
		}
		return page(w, r, visit)
	})
}

// Show answers the form under way with a page that is shown to the same sign-in,
// for a few minutes, and leads on to another.
func (v Visit) Show(w http.ResponseWriter, r *http.Request, page any, then string) error {
	return v.show(w, r, page, then)
}

func (m *Manager) visit(r *http.Request) (Visit, bool, error) {
	session, signedIn, err := m.Find(r)
	if err != nil || !signedIn {
		return Visit{}, false, err
	}
	exchange := httpio.From(r.Context())
	exchange.UserID = session.UserID
	return Visit{Session: session, Act: storage.Act{
		At: m.ambient.Now(), Actor: storage.Actor{Kind: storage.ActorUser, ID: session.UserID},
		RequestID: exchange.RequestID, Address: exchange.Address,
	}}, true, nil
}

// signInPath is the sign-in page that leads back to where somebody wanted to
// go.
func signInPath(to *url.URL) string {
	return "/login?then=" + url.QueryEscape(to.RequestURI())
}

// Then returns where to go after signing in: the path that the text names when
// it is one of this server and of no other, else "/".
func Then(text string) string {
	u, err := url.Parse(text)
	local := err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && u.Opaque == "" && u.Fragment == ""
	plain := strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") &&
		!strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == '\\' || c >= 0x7f })
	if !local || !plain || len(text) > 500 {
		return "/"
	}
	return text
}
