// Package httpio is what every handler shares: it turns functions that return
// an error into handlers, and reads and writes bodies within limits. It knows
// no area and no error format; those bring their own writeError, for which
// failure.go has what most of them say alike.
package httpio

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// Handler is a handler that returns its failure instead of writing it. It must
// not have written anything when it returns an error.
type Handler func(w http.ResponseWriter, r *http.Request) error

// ErrorWriter writes a failure in one response format. The wire files hold
// them.
type ErrorWriter func(w http.ResponseWriter, r *http.Request, err error)

// Handle runs fn and hands its error, if any, to writeError.
func Handle(writeError ErrorWriter, fn Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := fn(w, r); err != nil {
			From(r.Context()).Err = err
			writeError(w, r, err)
		}
	})
}

// Exchange is what is known about one request while it is served: the
// middleware makes it and logs it, handlers add to it. Only the goroutine that
// serves the request may touch it.
type Exchange struct {
	RequestID string
	Address   string // the client's address, from the connection or a trusted proxy
	Route     string // the route's template, never the path
	ClientID  string // the client application, once proven
	UserID    string // the person or service account, once proven
	NoPerson  bool   // UserID is a service account, or somebody whom the app names and who is not here
	Blamed    string // the client application in whose name something is refused that is not proven
	Person    Person // whose browser it is, once that was asked
	Err       error  // what the handler failed with, for the log
	Usual     bool   // which is how things go, such as a device that asks before its person has answered
	Languages Languages

	ResourceMetadata string // address of what describes the API that is called; empty: nothing does

	Certificates []*x509.Certificate // that the client has shown, its own first

	Stored  Stored // what came of a file, for who counts; zero: nothing
	Issued  Tokens // what was issued, for who counts; zero: nothing
	TraceID string // the trace that the request is part of, in hex; empty: none
	Traced  bool   // it is followed here, too

	SignIn string // how a try to sign in ended, for who counts; empty: there was none
}

// Tried says how a try of somebody to sign in failed, if it did, for who counts.
func (e *Exchange) Tried(err error) {
	if f := fault.From(err); f != nil {
		e.SignIn = cmp.Or(f.Reason, f.Kind.String())
	}
}

// Stored is how many files have come whole, and how large they are together.
type Stored struct {
	Files int
	Bytes int64
}

// Tokens say of an access token by which grant it was issued, and to what type of app.
type Tokens struct{ GrantType, AppType string }

// Languages are those that the person wants, each list as Accept-Language has it.
type Languages struct {
	Asked   string // of the request itself, such as ui_locales
	Account string // of the person's account, once proven
	Browser string
}

// String returns all of them, best first.
func (l Languages) String() string {
	lists := []string{l.Asked, l.Account, l.Browser}
	return strings.Join(slices.DeleteFunc(lists, func(s string) bool { return s == "" }), ",")
}

type exchangeKey struct{}

// With returns a context that carries the exchange.
func With(ctx context.Context, exchange *Exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, exchange)
}

// From returns the context's exchange; outside a request a fresh empty one, so
// that callers need not ask.
func From(ctx context.Context) *Exchange {
	if e, ok := ctx.Value(exchangeKey{}).(*Exchange); ok {
		return e
	}
	return &Exchange{}
}

// WriteJSON writes v as the whole answer. A value that can't be encoded is a
// bug of ours, and answered as one.
func WriteJSON(w http.ResponseWriter, status int, contentType string, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
