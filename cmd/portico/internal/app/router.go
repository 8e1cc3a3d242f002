package app

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/httpio"
)

// newRouter serves the areas. The router works on the encoded path and cleans
// nothing up: an id may hold an escaped slash.
func newRouter(areas []area, p *parts, c config.Config) http.Handler {
	root := mux.NewRouter().UseEncodedPath().SkipClean(true)
	for _, area := range areas {
		router := root
		if area.writeError == nil {
			area.writeError = p.writeError
		}
		if area.prefix != "" {
			router = root.PathPrefix(area.prefix).Subrouter()
			router.NotFoundHandler = noSuchPath(area.writeError)
		}
		for _, r := range area.routes {
			router.Handle(r.template, r.handler(area, p))
		}
	}
	root.NotFoundHandler = noSuchPath(p.writeError)
	return middleware.Chain(middleware.Options{
		Ambient: p.ambient, Log: p.log, TrustedProxies: c.TrustedProxies, HTTPS: https(c), WriteError: inArea(areas, p.writeError),
	}, root)
}

// inArea writes what fails before a route is known, or by a panic, as the area
// does in which the path lies, and as the whole server does outside of all.
func inArea(areas []area, outside httpio.ErrorWriter) httpio.ErrorWriter {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		path := "/" + strings.TrimLeft(r.URL.Path, "/")
		for _, area := range areas {
			if area.writeError != nil && strings.HasPrefix(path+"/", area.prefix+"/") {
				area.writeError(w, r, err)
				return
			}
		}
		outside(w, r, err)
	}
}

func noSuchPath(writeError httpio.ErrorWriter) http.Handler {
	return httpio.Handle(writeError, func(http.ResponseWriter, *http.Request) error {
		return fault.New(fault.NotFound, "no_such_path", "There is nothing at this address.")
	})
}

// allowed returns the methods that the route answers, sorted.
func (r route) allowed() []string {
	names := slices.Collect(maps.Keys(r.methods))
	names = append(names, http.MethodOptions)
	if _, ok := r.methods[http.MethodGet]; ok {
		names = append(names, http.MethodHead)
	}
	slices.Sort(names)
	return names
}

// handler dispatches by method. The router's own matching by method answers 404
// instead of 405 in some nestings, and knows neither HEAD nor OPTIONS.
func (r route) handler(within area, p *parts) http.Handler {
	template := within.prefix + r.template
	handlers := map[string]http.Handler{}
	for method, e := range r.methods {
		handlers[method] = e.Handler
		if method == http.MethodGet {
			handlers[http.MethodHead] = e.Handler // net/http leaves the body out
		}
	}
	allow := strings.Join(r.allowed(), ", ")
	handlers[http.MethodOptions] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", allow)
		w.WriteHeader(http.StatusNoContent)
	})
	wrong := httpio.Handle(within.writeError, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", allow)
		return fault.Newf(fault.MethodNotAllowed, "method_not_allowed", "This address answers %s.", allow)
	})
	dispatch := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		httpio.From(req.Context()).Route = template
		if handler := handlers[req.Method]; handler != nil {
			handler.ServeHTTP(w, req)
			return
		}
		wrong.ServeHTTP(w, req)
	})
	return middleware.CORS(r.cors, p.origins, r.allowed(), dispatch)
}
