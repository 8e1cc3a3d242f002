package middleware

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/tracing"
)

// Tell hears of every request that was answered, with the bytes of the body that was
// announced (-1: none was) and of the one that was sent.
type Tell func(method string, e *httpio.Exchange, status int, received, sent int64, took time.Duration)

// Log writes one line per request when it has been answered, and tells whoever
// counts, if somebody does. It names the
// route's template and never the path, the query or a body: those may hold
// codes, tokens and names of people.
func Log(log *slog.Logger, source *ambient.Source, tell Tell, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := source.Elapsed()
		answer := &answer{ResponseWriter: w}
		defer func() { // also when the connection is cut by a panic
			exchange := httpio.From(r.Context())
			if hungUp(r, exchange.Err) {
				answer.status = clientGone
			}
			took := source.Elapsed() - began
			log.LogAttrs(r.Context(), severity(exchange, answer.Status()), "request", line(r, exchange, answer, took)...)
			if tell != nil {
				tell(knownMethod(r.Method), exchange, answer.Status(), r.ContentLength, answer.bytes, took)
			}
			endTrace(tracing.From(r.Context()), knownMethod(r.Method), exchange, answer.Status())
		}()
		next.ServeHTTP(answer, r)
	})
}

// clientGone is what the log has in the place of a status that nobody saw.
const clientGone = 499

// hungUp reports whether a request failed because its client went away in the
// middle: that is no failure of ours.
func hungUp(r *http.Request, err error) bool {
	return r.Context().Err() != nil && (errors.Is(err, context.Canceled) || fault.Is(err, fault.Unavailable))
}

// severity is Error for our own failures, so that an alert can hang on it.
func severity(exchange *httpio.Exchange, status int) slog.Level {
	if status == clientGone {
		return slog.LevelInfo
	}
	if status >= http.StatusInternalServerError || fault.Is(exchange.Err, fault.Internal) {
		return slog.LevelError
	}
	return slog.LevelInfo
}

func line(r *http.Request, exchange *httpio.Exchange, answer *answer, took time.Duration) []slog.Attr {
	attrs := []slog.Attr{
		slog.String("request_id", exchange.RequestID),
		slog.String("method", knownMethod(r.Method)),
		slog.String("route", exchange.Route),
		slog.Int("status", answer.Status()),
		slog.Int64("bytes", answer.bytes),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000),
		slog.String("address", exchange.Address),
	}
	for _, optional := range []slog.Attr{
		slog.String("client_id", exchange.ClientID),
		slog.String("user_id", exchange.UserID),
		slog.String("trace_id", exchange.TraceID),
	} {
		if optional.Value.String() != "" {
			attrs = append(attrs, optional)
		}
	}
	if f := fault.From(exchange.Err); f != nil {
		attrs = append(attrs, slog.String("fault", f.Kind.String()), slog.String("reason", f.Reason))
		if f.Kind == fault.Internal || f.Kind == fault.Unavailable {
			attrs = append(attrs, slog.String("error", exchange.Err.Error()))
		}
	}
	return attrs
}

// knownMethod keeps words that somebody made up out of the log.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// answer counts what is written, and sees to it that whoever is sent away for a
// while is told for how long: every answer of the server goes through it.
type answer struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// Status is the status that was sent; 200 when nothing was written, as
// net/http sends it then.
func (a *answer) Status() int {
	return cmp.Or(a.status, http.StatusOK)
}

// WriteHeader implements http.ResponseWriter. Informational answers (1xx) come
// before the real one.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
		if status == http.StatusServiceUnavailable && a.Header().Get("Retry-After") == "" {
			httpio.SetRetryAfter(a.Header(), retryAfter)
		}
	}
	a.ResponseWriter.WriteHeader(status)
}

// retryAfter is when trying again makes sense while nobody knows it better.
const retryAfter = 2 * time.Second

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(p)
	a.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// started reports whether anything of the answer is out.
func (a *answer) started() bool { return a.status != 0 }
