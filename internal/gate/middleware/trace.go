package middleware

import (
	"net/http"
	"net/netip"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/tracing"
)

// Trace has a request be part of a trace, that of a trusted proxy where it tells of one.
// Log ends the span.
func Trace(tracer *tracing.Tracer, trusted []netip.Prefix, next http.Handler) http.Handler {
	if tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var said string
		if all := r.Header[tracing.Traceparent]; len(all) == 1 && isTrusted(peerAddress(r.RemoteAddr), trusted) {
			said = all[0]
		}
		ctx, span := tracer.Request(r.Context(), said)
		if span == nil {
			next.ServeHTTP(w, r)
			return
		}
		exchange := httpio.From(ctx)
		exchange.TraceID, exchange.Traced = span.TraceID(), span.Sampled()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// endTrace says what became of a request.
func endTrace(span *tracing.Span, method string, exchange *httpio.Exchange, status int) {
	if !span.Sampled() {
		return
	}
	span.Name(method, exchange.Route)
	span.Set("http.request.method", method)
	span.Set("http.route", exchange.Route)
	span.SetNumber("http.response.status_code", status)
	switch f := fault.From(exchange.Err); {
	case status < http.StatusInternalServerError && !fault.Is(exchange.Err, fault.Internal):
		if f != nil { // a refusal is no failure of ours
			span.Set("portico.refusal", f.Kind.String()+" "+f.Reason)
		}
		span.End(nil)
	case f == nil:
		span.Fail("500")
		span.End(nil)
	default:
		span.End(f)
	}
}
