package app

import (
	"net/http"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/resources"
)

// newRouter serves the areas, and lets pages of other sites read what they may.
func newRouter(areas []httpio.Area, p *parts, c config.Config) http.Handler {
	router := httpio.Router{Areas: areas, WriteError: p.writeError,
		Around: func(r httpio.Route, next http.Handler) http.Handler {
			return middleware.CORS(r.Sites, p.origins, r.Allowed(), next)
		}}
	return middleware.Chain(middleware.Options{
		Ambient: p.Ambient, Log: p.Log, TrustedProxies: c.TrustedProxies, Certificate: c.TLS.ClientHeader, HTTPS: https(c),
		WriteError:   router.Failure,
		RequestLimit: c.RequestLimit, Tell: p.tell(), Tracer: p.tracer,
	}, describing(c.BaseURL+resources.MetadataPath, p.proofs.Telling(router.Handler())))
}

// describing lets challenges say where our APIs are described.
func describing(where string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpio.From(r.Context()).ResourceMetadata = where
		next.ServeHTTP(w, r)
	})
}
