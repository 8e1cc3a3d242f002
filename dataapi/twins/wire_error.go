package twins

import (
	"net/http"

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

// WriteError writes a failure. It implements httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	httpio.SetBearerFailure(w.Header(), f)
	p := newProblem(f)
	p.RequestID = httpio.From(r.Context()).RequestID
	httpio.WriteJSON(w, p.Status, "application/problem+json", p)
}

func newProblem(f *fault.Error) Problem {
	status := httpio.Status(f.Kind)
	if f.Kind == fault.Internal {
		return Problem{Title: http.StatusText(status), Status: status, Detail: "The server could not finish what you asked for."}
	}
	return Problem{Title: http.StatusText(status), Status: status, Detail: f.Detail, Code: f.Reason, Source: f.Source}
}
