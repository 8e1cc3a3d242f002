package objects

import (
	"net/http"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

const mediaType = "application/json"

// failure is the body of a refusal (decision W5).
type failure struct {
	Reason string `json:"reason"`
	Code   string `json:"code,omitempty"`

	// DeveloperMessage is what existing clients look at before they get a new
	// token (wire facts, section 3.3).
	DeveloperMessage string `json:"developerMessage,omitempty"`
}

// statuses maps every kind of fault.
var statuses = map[fault.Kind]int{
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
}

const (
	invalidToken   = "Access token provided is invalid or expired."
	internalReason = "The server could not finish what you asked for."
	realm          = `Bearer realm="portico"`
)

// WriteError writes a failure. It implements httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, _ *http.Request, err error) {
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
	httpio.WriteJSON(w, statuses[f.Kind], mediaType, newFailure(f))
}

func newFailure(f *fault.Error) failure {
	switch f.Kind {
	case fault.Internal:
		return failure{Reason: internalReason}
	case fault.Unauthenticated:
		return failure{Reason: invalidToken, Code: f.Reason, DeveloperMessage: invalidToken}
	}
	return failure{Reason: f.Detail, Code: f.Reason}
}
