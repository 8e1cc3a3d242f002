package httpio

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
)

// Problem is the body of a failure (RFC 9457), with our code. What a format says
// beside that is for it to add.
type Problem struct {
	Title     string  `json:"title"`
	Status    int     `json:"status"`
	Detail    string  `json:"detail,omitempty"`
	Code      string  `json:"code,omitempty"`
	Source    string  `json:"source,omitempty"` // JSON pointer, parameter or header
	RequestID string  `json:"request_id"`
	Errors    []Wrong `json:"errors,omitempty"`
}

// Wrong is one thing that is wrong with what was sent.
type Wrong struct {
	Field  string `json:"field,omitempty"`
	Code   string `json:"code,omitempty"`
	Detail string `json:"detail"`
}

// OursDetail is what is said of every failure of ours.
const OursDetail = "The server could not finish what you asked for."

// NewProblem tells a fault, and nothing of what failed here.
func NewProblem(r *http.Request, f *fault.Error, status int) Problem {
	p := Problem{
		Title: http.StatusText(status), Status: status, Detail: f.Detail, Code: f.Reason,
		RequestID: From(r.Context()).RequestID,
	}
	if f.Kind == fault.Internal {
		p.Detail, p.Code = OursDetail, "server_error"
	}
	return p
}

// Write answers with the problem.
func (p Problem) Write(w http.ResponseWriter) { WriteJSON(w, p.Status, "application/problem+json", p) }
