// Package middleware is what every request passes before a route sees it: an
// exchange with a request id and the client's address, one line in the log,
// recovery from panics, an end of the work, headers for browsers, a clean path and CORS.
//
// It knows no route and no error format: what refuses writes through the
// httpio.ErrorWriter it was given. Start at Chain; cmd/portico/internal/app puts it around
// the root router, because a router's own middleware does not run for paths it
// does not know.
package middleware

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/tracing"
)

// Options are what Chain needs.
type Options struct {
	Ambient        *ambient.Source
	Log            *slog.Logger
	TrustedProxies []netip.Prefix
	Certificate    string             // the header in which they tell clients' certificates; empty: none
	HTTPS          bool               // the base URL is https
	WriteError     httpio.ErrorWriter // for what fails before a route is known
	RequestLimit   time.Duration      // how long the work of a request may take
	Tell           Tell               // nil: nobody counts
	Tracer         *tracing.Tracer    // nil: nothing is traced
}

// Chain wraps the root router.
func Chain(o Options, router http.Handler) http.Handler {
	handler := Limit(o.RequestLimit, o.Ambient, CleanPath(o.WriteError, Compress(router)))
	handler = Recover(o.HTTPS, o.WriteError, handler)
	handler = SecurityHeaders(o.HTTPS, handler)
	handler = Log(o.Log, o.Ambient, o.Tell, handler)
	handler = Trace(o.Tracer, o.TrustedProxies, handler)
	return Exchange(o.Ambient, o.TrustedProxies, o.Certificate, handler)
}
