package app

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/portico-id/portico/internal/app/config"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/middleware"
)

// newRouter serves the routes. The router works on the encoded path and cleans
// nothing up: an id may hold an escaped slash.
func newRouter(routes []route, p *parts, c config.Config) http.Handler {
	root := mux.NewRouter().UseEncodedPath().SkipClean(true)
	for _, r := range routes {
		root.Handle(r.template, r.handler(p))
	}
	root.NotFoundHandler = httpio.Handle(p.writeError, func(http.ResponseWriter, *http.Request) error {
		return fault.New(fault.NotFound, "no_such_path", "There is nothing at this address.")
	})
	return middleware.Chain(middleware.Options{
		Ambient: p.ambient, Log: p.log, TrustedProxies: c.TrustedProxies, HTTPS: https(c), WriteError: p.writeError,
	}, root)
}

// allowed returns the methods that the route answers, sorted.
func (r route) allowed() []string {
	names := slices.Collect(maps.Keys(r.methods))
	names = append(names, http.MethodOptions)
	if r.methods[http.MethodGet] != nil {
		names = append(names, http.MethodHead)
	}
	slices.Sort(names)
	return names
}

// handler dispatches by method. The router's own matching by method answers 404
// instead of 405 in some nestings, and knows neither HEAD nor OPTIONS.
func (r route) handler(p *parts) http.Handler {
	methods := maps.Clone(r.methods)
	if get := methods[http.MethodGet]; get != nil {
		methods[http.MethodHead] = get // net/http leaves the body out
	}
	allow := strings.Join(r.allowed(), ", ")
	methods[http.MethodOptions] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", allow)
		w.WriteHeader(http.StatusNoContent)
	})
	wrong := httpio.Handle(p.writeError, func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Allow", allow)
		return fault.Newf(fault.MethodNotAllowed, "method_not_allowed", "This address answers %s.", allow)
	})
	dispatch := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		httpio.From(req.Context()).Route = r.template
		if handler := methods[req.Method]; handler != nil {
			handler.ServeHTTP(w, req)
			return
		}
		wrong.ServeHTTP(w, req)
	})
	return middleware.CORS(r.cors, p.origins, r.allowed(), dispatch)
}
