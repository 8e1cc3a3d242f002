package httpio

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/portico-id/portico/internal/fault"
)

// Router serves areas. It works on the encoded path and cleans nothing up: an
// id may hold an escaped slash.
type Router struct {
	Areas []Area

	// WriteError writes what fails outside of all areas.
	WriteError ErrorWriter

	// Around, unless it is nil, wraps what serves a route.
	Around func(r Route, next http.Handler) http.Handler
}

// Handler returns what serves the areas, tried in their order.
func (o Router) Handler() http.Handler {
	var beginnings []string
	for _, area := range o.Areas {
		beginnings = append(beginnings, beginningOf(area.Prefix))
		for _, r := range area.Routes {
			beginnings = append(beginnings, beginningOf(area.Prefix+r.Template))
		}
	}
	return divide(beginnings, o.division)
}

// division returns what serves the paths whose longest known beginning is the given one.
func (o Router) division(longest string) http.Handler {
	root := mux.NewRouter().UseEncodedPath().SkipClean(true)
	for _, area := range o.Areas {
		if !within(beginningOf(area.Prefix), longest) {
			continue
		}
		router := root
		if area.WriteError == nil {
			area.WriteError = o.WriteError
		}
		if area.Prefix != "" {
			router = root.PathPrefix(area.Prefix).Subrouter()
			router.NotFoundHandler = noSuchPath(area.WriteError)
		}
		for _, r := range area.Routes {
			if within(beginningOf(area.Prefix+r.Template), longest) {
				router.Handle(r.Template, o.handler(r, area))
			}
		}
	}
	root.NotFoundHandler = noSuchPath(o.WriteError)
	return root
}

func (o Router) handler(r Route, area Area) http.Handler {
	if o.Around == nil {
		return r.handler(area)
	}
	return o.Around(r, r.handler(area))
}

// Failure writes what fails before a route is known, or by a panic, as the area
// does in which the path lies, and as the whole server does outside of all.
func (o Router) Failure(w http.ResponseWriter, r *http.Request, err error) {
	path := "/" + strings.TrimLeft(r.URL.Path, "/")
	for _, area := range o.Areas {
		if area.WriteError != nil && area.holds(path) {
			area.WriteError(w, r, err)
			return
		}
	}
	o.WriteError(w, r, err)
}

// holds reports whether the path lies in the area: below its prefix or, where it has none,
// where one of its routes begins.
func (a Area) holds(path string) bool {
	if a.Prefix != "" {
		return within(a.Prefix, path)
	}
	return slices.ContainsFunc(a.Routes, func(r Route) bool {
		beginning := beginningOf(r.Template)
		return beginning != "" && within(beginning, path)
	})
}

func noSuchPath(writeError ErrorWriter) http.Handler {
	return Handle(writeError, func(http.ResponseWriter, *http.Request) error {
		return fault.New(fault.NotFound, "no_such_path", "There is nothing at this address.")
	})
}

// handler dispatches by method. The router's own matching by method answers 404
// instead of 405 in some nestings, and knows neither HEAD nor OPTIONS.
func (r Route) handler(within Area) http.Handler {
	allow := strings.Join(r.Allowed(), ", ")
	handlers := map[string]http.Handler{
		http.MethodOptions: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Allow", allow)
			w.WriteHeader(http.StatusNoContent)
		}),
	}
	for method, e := range r.Methods {
		handlers[method] = e.Handler
		if method == http.MethodGet {
			handlers[http.MethodHead] = e.Handler // net/http leaves the body out
		}
	}
	wrong := Handle(within.WriteError, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", allow)
		return fault.Newf(fault.MethodNotAllowed, "method_not_allowed", "This address answers %s.", allow)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		From(req.Context()).Route = within.Prefix + r.Template
		if handler := handlers[req.Method]; handler != nil {
			handler.ServeHTTP(w, req)
			return
		}
		wrong.ServeHTTP(w, req)
	})
}
