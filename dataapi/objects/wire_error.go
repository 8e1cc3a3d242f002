package objects

import (
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

const mediaType = "application/json"

// failure is the body of a refusal (decision W5).
type failure struct {
	Reason string `json:"reason"`
	Code   string `json:"code,omitempty"`

	// DeveloperMessage is what existing clients look at before they get a new
	// token (decision X2).
	DeveloperMessage string `json:"developerMessage,omitempty"`
}

const invalidToken = "Access token provided is invalid or expired."

// WriteError writes a failure. It implements httpio.ErrorWriter.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	httpio.SetBearerFailure(w.Header(), r, f)
	httpio.WriteJSON(w, httpio.Status(f.Kind), mediaType, newFailure(f))
}

func newFailure(f *fault.Error) failure {
	switch f.Kind {
	case fault.Internal:
		return failure{Reason: httpio.OursDetail}
	case fault.Unauthenticated:
		return failure{Reason: invalidToken, Code: f.Reason, DeveloperMessage: invalidToken}
	}
	return failure{Reason: f.Detail, Code: f.Reason}
}
