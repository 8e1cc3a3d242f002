// Package adminapi is what every operation under /admin/v1 shares: who may call
// it, and how it answers, in JSON and in problem details (RFC 9457).
//
// The operations are the areas', and so is who administers a part of what an
// area has. Who stands behind a session or a token is told by the wiring, so
// that this package knows neither. Start at Door.
package adminapi

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/acts"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// Reasons of the Forbidden faults of callers that may not.
const (
	ReasonAdministratorsOnly = "administrators_only"
	ReasonThreeLegged        = "three_legged_required"
	ReasonScope              = "insufficient_scope"
)

// Token is what a bearer token says about its caller.
type Token struct {
	ClientID       string
	UserID         string // empty: two-legged
	GrantID        string // that it comes from
	ServiceAccount bool
	Read, Write    bool // carries account:read, account:write
}

// Options are what a Door is made of. Every field is needed.
type Options struct {
	// Session returns the signed-in person, and when they last proved who they are;
	// false: nobody.
	Session func(r *http.Request) (user storage.User, proven time.Time, signedIn bool, err error)

	// Token returns who the request's bearer token speaks for.
	Token func(r *http.Request) (Token, error)

	// Proven returns when the person proved who they are, from whom the grant is.
	Proven func(r *http.Request, grantID string) (time.Time, error)

	// User returns an enabled user, or NotFound.
	User func(r *http.Request, id string) (storage.User, error)

	Now func() time.Time

	// FreshFor is how long after a sign-in grave acts need no other.
	FreshFor time.Duration

	// Protect refuses changing requests that another site caused.
	Protect func(http.Handler) http.Handler
}

// Door lets administrators through: of the server, and to operations that say so
// anybody who may administer a part of it.
type Door struct {
	with Options
}

// New returns a door.
func New(o Options) *Door { return &Door{with: o} }

// Call is one request of an administrator.
type Call struct {
	User     storage.User
	ClientID string // whose token it came with; empty: it came with a session
	Act      storage.Act

	grantID string    // of the token
	proven  time.Time // of the session
}

// Operation is one operation of the API.
type Operation func(w http.ResponseWriter, r *http.Request, c Call) error

// What a token needs; sessions need none.
const (
	scopeRead  = "account:read"
	scopeWrite = "account:write"
)

// Read serves an operation of server administrators that changes nothing: it
// needs account:read.
func (d *Door) Read(do Operation) httpio.Endpoint { return d.serve(serverOnly(do), scopeRead) }

// Write serves an operation of server administrators that changes something: it
// needs account:write.
func (d *Door) Write(do Operation) httpio.Endpoint {
	return d.serve(serverOnly(d.Present(do)), scopeWrite)
}

// Present is the operation of who is there. At the browser of a session somebody else may sit by
// now: who comes with one signs in again as for WriteAgain, as administrators do on the pages.
func (d *Door) Present(do Operation) Operation {
	again := d.again(do)
	return func(w http.ResponseWriter, r *http.Request, c Call) error {
		if !withToken(r) {
			return again(w, r, c)
		}
		return do(w, r, c)
	}
}

// ReadPart is Read for everybody who might administer what the operation is
// about. Whether they do is for the operation to judge: to whom a thing is not
// theirs it must not exist.
func (d *Door) ReadPart(do Operation) httpio.Endpoint { return d.serve(do, scopeRead) }

// WritePart is Write in the way of ReadPart.
func (d *Door) WritePart(do Operation) httpio.Endpoint { return d.serve(do, scopeWrite) }

// ReadAgain is ReadPart for what is not shown by the way, and WriteAgain WritePart
// for what is not done so: whoever proved who they are longer ago than FreshFor must
// do so again first.
func (d *Door) ReadAgain(do Operation) httpio.Endpoint { return d.serve(d.again(do), scopeRead) }

// WriteAgain is said at ReadAgain.
func (d *Door) WriteAgain(do Operation) httpio.Endpoint { return d.serve(d.again(do), scopeWrite) }

func (d *Door) again(do Operation) Operation {
	return func(w http.ResponseWriter, r *http.Request, c Call) error {
		if c.grantID != "" {
			var err error
			if c.proven, err = d.with.Proven(r, c.grantID); err != nil {
				return err
			}
		}
		if c.Act.At.Sub(c.proven).Abs() > d.with.FreshFor { // either way: their clock may have been ahead
			return fault.New(fault.Unauthenticated, ReasonSignInAgain,
				"This needs a sign-in of the last ten minutes.").At(`max_age="600"`)
		}
		return do(w, r, c)
	}
}

func serverOnly(do Operation) Operation {
	return func(w http.ResponseWriter, r *http.Request, c Call) error {
		if !c.User.Admin {
			return AdministratorsOnly()
		}
		return do(w, r, c)
	}
}

// AdministratorsOnly is the fault of callers who administer nothing that the
// operation is about.
func AdministratorsOnly() error {
	return fault.New(fault.Forbidden, ReasonAdministratorsOnly, "Only administrators may do this.")
}

func (d *Door) serve(do Operation, scope string) httpio.Endpoint {
	handler := httpio.Handle(WriteError, func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		call, err := d.caller(r, scope)
		if err != nil {
			return err
		}
		exchange := httpio.From(r.Context())
		exchange.UserID, exchange.Languages.Account = call.User.ID, call.User.Profile.Locale
		call.Act = acts.Of(r.Context(), d.with.Now(), storage.Actor{Kind: storage.ActorUser, ID: call.User.ID})
		return do(w, r, call)
	})
	protected := d.with.Protect(handler)
	return httpio.Endpoint{Scope: scope, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if withToken(r) {
			handler.ServeHTTP(w, r) // a browser never adds one by itself
			return
		}
		protected.ServeHTTP(w, r)
	})}
}

// withToken reports whether a request came with a token, which counts before a session.
func withToken(r *http.Request) bool { return r.Header.Get("Authorization") != "" }

// caller finds out who calls: by the token when there is one, and only then by
// the session.
func (d *Door) caller(r *http.Request, scope string) (Call, error) {
	if !withToken(r) {
		user, proven, signedIn, err := d.with.Session(r)
		if err == nil && !signedIn {
			err = fault.New(fault.Unauthenticated, "missing_token", "Sign in, or send an administrator's access token.")
		}
		return Call{User: user, proven: proven}, err
	}
	token, err := d.with.Token(r)
	if err != nil {
		return Call{}, err
	}
	if err := judge(token, scope); err != nil {
		return Call{}, err
	}
	user, err := d.with.User(r, token.UserID)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.Unauthenticated, "invalid_token", "The token's user is gone.").Because(err)
	}
	return Call{User: user, ClientID: token.ClientID, grantID: token.GrantID}, err
}

// judge refuses tokens that no administrator gave (decisions, administration).
func judge(t Token, scope string) error {
	switch {
	case t.UserID == "":
		return fault.New(fault.Forbidden, ReasonThreeLegged,
			"The administration API needs a token that an administrator granted; this one speaks for no person.")
	case t.ServiceAccount:
		return fault.New(fault.Forbidden, ReasonThreeLegged,
			"The administration API needs a token that an administrator granted; this one speaks for a service account.")
	case scope == scopeWrite && !t.Write, scope == scopeRead && !t.Read:
		return fault.New(fault.Forbidden, ReasonScope, "The token lacks the scope "+scope+".").At(scope)
	}
	return nil
}

// maxRows is the largest page, and the default.
const maxRows = storage.MaxPage

// Page reads limit and after of a list.
func Page(query url.Values) (storage.PageRequest, error) {
	page := storage.PageRequest{After: query.Get("after"), Limit: maxRows}
	if !query.Has("limit") {
		return page, nil
	}
	n, err := strconv.Atoi(query.Get("limit"))
	if err != nil || n < 1 || n > maxRows {
		return page, fault.Newf(fault.Invalid, "invalid_request", "limit must be a number from 1 to %d.", maxRows).At("limit")
	}
	page.Limit = n
	return page, nil
}

// Flags reads what a query says that is true or false, in the order of the names; what it
// does not say is false. Invalid for anything else: who means to try something out must not
// have it done.
func Flags(query url.Values, names ...string) ([]bool, error) {
	flags := make([]bool, len(names))
	for i, name := range names {
		value := query.Get(name)
		if query.Has(name) && value != "true" && value != "false" {
			return nil, fault.Newf(fault.Invalid, "invalid_request", "%s must be true or false.", name).At(name)
		}
		flags[i] = value == "true"
	}
	return flags, nil
}

// Query returns the query of a list, and the page that it asks for.
func Query(r *http.Request) (url.Values, storage.PageRequest, error) {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return nil, storage.PageRequest{}, err
	}
	page, err := Page(query)
	return query, page, err
}

// List is the body of a page of a list.
type List[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"`  // after of the next page; absent on the last
	Total *int   `json:"total,omitempty"` // on all pages; absent where nobody counts
}

// NewList makes the body of rows.
func NewList[R, T any](rows []R, next string, item func(R) T) List[T] {
	list := List[T]{Items: []T{}, Next: next}
	for _, row := range rows {
		list.Items = append(list.Items, item(row))
	}
	return list
}

// Listed makes the body of a page of a list by name.
func Listed[R, T any](listing storage.Listing[R], item func(R) T) List[T] {
	list := NewList(listing.Rows, listing.Next, item)
	list.Total = &listing.Total
	return list
}

// WriteJSON answers with v.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	httpio.WriteJSON(w, status, "application/json", v)
	return nil
}

// OK answers with what there is.
func OK(w http.ResponseWriter, body any) error { return WriteJSON(w, http.StatusOK, body) }

// Created answers with what there is from now on, and where under /admin/v1.
func Created(w http.ResponseWriter, path string, body any) error {
	w.Header().Set("Location", "/admin/v1/"+path)
	return WriteJSON(w, http.StatusCreated, body)
}

// NoContent answers that it is done.
func NoContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Moment is a time in the API that may be none: null, or left out, when it is
// zero.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
