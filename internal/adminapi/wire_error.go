package adminapi

import (
	"net/http"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// Problem is the body of a failure (RFC 9457), with our code and, where several
// things are wrong at once, each of them.
type Problem struct {
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail,omitempty"`
	Code      string  `json:"code,omitempty"`
	RequestID string  `json:"request_id"`
	Errors    []Wrong `json:"errors,omitempty"`
}

// Wrong is one thing that is wrong with what was sent.
type Wrong struct {
	Field  string `json:"field,omitempty"`
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail"`
}

var statuses = map[fault.Kind]int{
	fault.Internal:           http.StatusInternalServerError,
	fault.Invalid:            http.StatusUnprocessableEntity,
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
}

// WriteError writes a failure. It is an httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f := *fault.From(err)
	status := statuses[f.Kind]
	if f.Reason == httpio.ReasonInvalidRequest && f.Kind == fault.Invalid {
		status = http.StatusBadRequest
	}
	body := Problem{
		Title: http.StatusText(status), Status: status, Detail: f.Detail, Code: f.Reason,
		RequestID: httpio.From(r.Context()).RequestID,
	}
	if f.Kind == fault.Internal {
		body.Detail, body.Code = "The server could not finish what you asked for.", "server_error"
	}
	for _, one := range fault.All(err) {
		if one.Source != "" && f.Kind != fault.Internal {
			body.Errors = append(body.Errors, Wrong{Field: one.Source, Code: one.Reason, Detail: one.Detail})
		}
	}
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	if f.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(f.RetryAfter.Seconds()+0.999)))
	}
	if f.Kind == fault.Unauthenticated {
		header.Set("WWW-Authenticate", `Bearer realm="portico"`)
	}
	httpio.WriteJSON(w, status, "application/problem+json", body)
}
