package twins

import (
	"net/http"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// Problem is the body of a refusal (RFC 9457, decision W5).
type Problem struct {
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail,omitempty"`
	Code      string `json:"code,omitempty"`
	Source    string `json:"source,omitempty"` // JSON pointer, parameter or header
	RequestID string `json:"request_id"`
}

// statuses maps every kind of fault.
func statuses(kind fault.Kind) int {
	return map[fault.Kind]int{
		fault.Internal:           http.StatusInternalServerError,
		fault.Invalid:            http.StatusBadRequest,
		fault.Unauthenticated:    http.StatusUnauthorized,
		fault.Forbidden:          http.StatusForbidden,
		fault.NotFound:           http.StatusNotFound,
		fault.MethodNotAllowed:   http.StatusMethodNotAllowed,
		fault.NotAcceptable:      http.StatusNotAcceptable,
		fault.Conflict:           http.StatusConflict,
		fault.Gone:               http.StatusGone,
		fault.PreconditionFailed: http.StatusPreconditionFailed,
		fault.TooLarge:           http.StatusRequestEntityTooLarge,
		fault.UnsupportedMedia:   http.StatusUnsupportedMediaType,
		fault.Locked:             http.StatusLocked,
		fault.TooMany:            http.StatusTooManyRequests,
		fault.Unavailable:        http.StatusServiceUnavailable,
	}[kind]
}

const realm = `Bearer realm="portico"`

// WriteError writes a failure. It implements httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	if f.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(f.RetryAfter.Seconds()+0.999)))
	}
	switch {
	case f.Kind == fault.Unauthenticated && f.Reason == "missing_token":
		header.Set("WWW-Authenticate", realm)
	case f.Kind == fault.Unauthenticated:
		header.Set("WWW-Authenticate", realm+`, error="invalid_token"`)
	case f.Reason == "insufficient_scope":
		header.Set("WWW-Authenticate", realm+`, error="insufficient_scope", scope="`+f.Source+`"`)
	}
	p := newProblem(f)
	p.RequestID = httpio.From(r.Context()).RequestID
	httpio.WriteJSON(w, p.Status, "application/problem+json", p)
}

func newProblem(f *fault.Error) Problem {
	status := statuses(f.Kind)
	if f.Kind == fault.Internal {
		return Problem{Title: http.StatusText(status), Status: status, Detail: "The server could not finish what you asked for."}
	}
	return Problem{Title: http.StatusText(status), Status: status, Detail: f.Detail, Code: f.Reason, Source: f.Source}
}
