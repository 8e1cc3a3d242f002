package websession

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Visit is one request of a signed-in person.
type Visit struct {
	Session
	Act storage.Act // what the person does with the request is audited as this

	show func(w http.ResponseWriter, r *http.Request, page any, then string) error // see Show
	left <-chan struct{}                                                           // see Awaited
}

// Page is a handler for a signed-in person.
type Page func(w http.ResponseWriter, r *http.Request, v Visit) error

// ReasonAdministratorsOnly is the reason of the Forbidden fault of everybody
// else.
const ReasonAdministratorsOnly = "administrators_only"

// ReasonSignInFirst is the reason of the Unauthenticated fault of a form that
// comes when nobody is signed in any more.
const ReasonSignInFirst = "sign_in_first"

// Gate lets signed-in people through, and nobody else.
type Gate struct {
	sessions   *Manager
	writeError httpio.ErrorWriter
	protect    func(http.Handler) http.Handler
	admins     bool // lets administrators of the server alone through
}

// Gate returns a gate whose refusals are written with writeError.
func (m *Manager) Gate(writeError httpio.ErrorWriter) *Gate {
	return &Gate{sessions: m, writeError: writeError, protect: Protect(writeError)}
}

// Administrators is the gate as it lets administrators of the server alone through.
// Whoever is none at this very request is refused, whatever the page, and every form is Grave:
// at the browser of one who went away somebody else may sit.
func (g *Gate) Administrators() *Gate {
	only := *g
	only.admins = true
	return &only
}

// judge lets the page through to whom the gate is for.
func (g *Gate) judge(page Page) Page {
	if !g.admins {
		return page
	}
	return func(w http.ResponseWriter, r *http.Request, v Visit) error {
		if !v.User.Admin {
			return fault.New(fault.Forbidden, ReasonAdministratorsOnly, "This page is for administrators of this server.")
		}
		return page(w, r, v)
	}
}

// Show serves a page. Whoever is not signed in is asked to sign in and comes
// back to it.
func (g *Gate) Show(page Page) httpio.Endpoint { return g.show(page, false) }

func (g *Gate) show(page Page, grave bool) httpio.Endpoint {
	page = g.judge(page)
	return httpio.Open(g.writeError, func(w http.ResponseWriter, r *http.Request) error {
		visit, signedIn, err := g.sessions.visit(r)
		if err != nil {
			return err
		}
		if !signedIn || grave && !visit.recent() {
			return signInFirst(w, r, r.URL.RequestURI(), signedIn)
		}
		if err := g.sessions.parked(r, visit.UserID); err != nil {
			return err
		}
		return page(w, r, visit)
	})
}

// ShowAgain is Show for what is not shown by the way: whoever proved who they are
// longer ago than FreshFor does so again first.
func (g *Gate) ShowAgain(page Page) httpio.Endpoint { return g.show(page, true) }

// Grave adds to a route the question before an act that is not done by the way,
// and the act. Whoever proved who they are longer ago than FreshFor does so again
// first.
func (g *Gate) Grave(route httpio.Route, ask, act Page) httpio.Route {
	return route.Get(g.show(ask, true)).Post(g.form(act, true))
}

// FreshFor is how long after a sign-in grave acts need no other.
const FreshFor = 10 * time.Minute

// ProvenAt is when they proved who they are, for a grave act.
func (s Session) ProvenAt() time.Time {
	if s.CameAt.After(s.AuthTime) {
		return s.CameAt
	}
	return s.AuthTime
}

// Recent reports whether they proved who they are so lately that grave acts need no other sign-in. It
// counts both ways: one by a clock that was ahead must not stay fresh for as long.
func (s Session) Recent(now time.Time) bool { return now.Sub(s.ProvenAt()).Abs() <= FreshFor }

func (v Visit) recent() bool { return v.Session.Recent(v.Act.At) }

// Show answers the form under way with a page that is shown to the same sign-in,
// for a few minutes, and leads on to another.
func (v Visit) Show(w http.ResponseWriter, r *http.Request, page any, then string) error {
	return v.show(w, r, page, then)
}

// Awaited is a context of the work of a form that ends, too, when the browser breaks off,
// which a form as such outlives. done at the end.
func (v Visit) Awaited(ctx context.Context) (awaited context.Context, done context.CancelFunc) {
	awaited, done = context.WithCancel(ctx)
	go func() {
		select {
		case <-v.left: // never, of what is no such form
			done()
		case <-awaited.Done():
		}
	}()
	return awaited, done
}

func (m *Manager) visit(r *http.Request) (Visit, bool, error) {
	session, signedIn, err := m.Find(r)
	if err != nil || !signedIn {
		return Visit{}, false, err
	}
	httpio.From(r.Context()).UserID = session.UserID
	by := storage.Actor{Kind: storage.ActorUser, ID: session.UserID}
	return Visit{Session: session, Act: acts.Of(r.Context(), m.ambient.Now(), by)}, true, nil
}

// AgainVariable is the parameter of the sign-in page's address that has even
// somebody who is signed in prove who they are.
const AgainVariable = "again"

// WithinVariable is the one that says how many seconds ago they may have done so, where a
// resource demands that. Without it they may have as before anything grave; 0: whenever they
// did, somebody else is to.
const WithinVariable = "within"

// signInFirst sends the browser to the sign-in page, which leads on from there: to the page
// by itself where all of its address is too long.
func signInFirst(w http.ResponseWriter, r *http.Request, to string, again bool) error {
	if len(to) > maxThen {
		to = r.URL.EscapedPath()
	}
	path := "/login?then=" + url.QueryEscape(to)
	if again {
		path += "&" + AgainVariable + "=1"
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}

// Waits reports whether a form waits at where somebody goes after signing in.
func Waits(then string) bool {
	u, err := url.Parse(then)
	return err == nil && u.Query().Has(parkedVariable)
}

// Then returns where to go after signing in: the path that the text names when
// it is one of this server and of no other, else "/".
func Then(text string) string {
	u, err := url.Parse(text)
	local := err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && u.Opaque == "" && u.Fragment == ""
	plain := strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") &&
		!strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == '\\' || c >= 0x7f })
	if !local || !plain || len(text) > maxThen {
		return "/"
	}
	return text
}
