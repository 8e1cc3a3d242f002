package httpio

import (
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
