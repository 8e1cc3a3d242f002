package adminapi

import (
	"net/http"

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

// WriteError writes a failure. It is an httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f := *fault.From(err)
	status := httpio.Status(f.Kind)
	if f.Kind == fault.Invalid && f.Reason != httpio.ReasonInvalidRequest {
		status = http.StatusUnprocessableEntity
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
	httpio.SetRetryAfter(header, f.RetryAfter)
	if f.Kind == fault.Unauthenticated {
		header.Set("WWW-Authenticate", `Bearer realm="portico"`)
	}
	httpio.WriteJSON(w, status, "application/problem+json", body)
}
