package adminapi

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// ReasonSignInAgain is the reason of the Unauthenticated fault of who signed in
// too long ago for what they want (RFC 9470).
const ReasonSignInAgain = "insufficient_user_authentication"

// WriteError writes a failure as a problem, with each of the things that are
// wrong where there are several. It is an httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	status := httpio.Status(f.Kind)
	if f.Kind == fault.Invalid && f.Reason != httpio.ReasonInvalidRequest {
		status = http.StatusUnprocessableEntity
	}
	body := httpio.NewProblem(r, f, status)
	for _, one := range fault.All(err) {
		if one.Source != "" && f.Kind != fault.Internal && one.Reason != ReasonScope && one.Reason != ReasonSignInAgain {
			body.Errors = append(body.Errors, httpio.Wrong{Field: one.Source, Code: one.Reason, Detail: one.Detail})
		}
	}
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	httpio.SetRetryAfter(header, f.RetryAfter)
	if f.Kind == fault.Unauthenticated || f.Reason == ReasonScope {
		httpio.Challenge(header, r, httpio.WrongToken(f))
	}
	body.Write(w)
}
