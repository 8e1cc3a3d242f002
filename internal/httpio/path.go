package httpio

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"

	"github.com/portico-id/portico/internal/fault"
)

// PathID returns the named variable of the route, percent-decoded exactly
// once: the router works on the encoded path, so that an id may hold a slash.
// Invalid with the reason "malformed_id" when it can't be decoded, is not text
// or is empty.
func PathID(r *http.Request, name string) (string, error) {
	malformed := fault.New(fault.Invalid, "malformed_id", "The id in the path is malformed.").At(name)
	id, err := url.PathUnescape(mux.Vars(r)[name])
	if err != nil {
		return "", malformed.Because(err)
	}
	if id == "" || !IsText(id) {
		return "", malformed
	}
	return id, nil
}

// Named returns what the variable of the route names: what find finds, by PathID.
func Named[T any](r *http.Request, name string, find func(context.Context, string) (T, error)) (one T, err error) {
	id, err := PathID(r, name)
	if err != nil {
		return one, err
	}
	return find(r.Context(), id)
}

// WithQuery is an address with a query, behind the one that it may have.
func WithQuery(address, query string) string {
	switch {
	case query == "":
		return address
	case strings.Contains(address, "?"):
		return address + "&" + query
	}
	return address + "?" + query
}
