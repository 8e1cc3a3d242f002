package scim

import (
	"net/http"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// The words of RFC 7644, 3.12, for what is wrong with a request. A fault has one as
// its reason.
const (
	invalidFilter = "invalidFilter"
	invalidSyntax = "invalidSyntax"
	invalidPath   = "invalidPath"
	invalidValue  = "invalidValue"
	mutability    = "mutability"
	uniqueness    = storage.ReasonTaken
)

// scimTypes are the words for the reasons of others.
var scimTypes = map[string]string{
	invalidFilter: invalidFilter, invalidSyntax: invalidSyntax, invalidPath: invalidPath, invalidValue: invalidValue,
	mutability: mutability, uniqueness: uniqueness,
	storage.ReasonEmailTaken: uniqueness, storage.ReasonUsernameTaken: uniqueness,
	storage.ReasonGroupNameTaken: uniqueness, storage.ReasonNoMember: invalidValue,
	storage.ReasonUntouchable: mutability, httpio.ReasonInvalidRequest: invalidSyntax,
}

const (
	mediaType   = "application/scim+json"
	errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error"
)

type errorJSON struct {
	Schemas  []string `json:"schemas"`
	Status   string   `json:"status"` // text, as the specification has it
	SCIMType string   `json:"scimType,omitempty"`
	Detail   string   `json:"detail,omitempty"`
}

// WriteError answers with the error message of RFC 7644, 3.12.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	status := httpio.Status(f.Kind)
	body := errorJSON{Schemas: []string{errorSchema}, Status: strconv.Itoa(status), Detail: f.Detail}
	if f.Kind == fault.Invalid || f.Kind == fault.Conflict || f.Kind == fault.Forbidden {
		body.SCIMType = scimTypes[f.Reason]
	}
	httpio.SetRetryAfter(w.Header(), f.RetryAfter)
	if f.Kind == fault.Unauthenticated {
		w.Header().Set("WWW-Authenticate", `Bearer realm="scim"`)
	}
	httpio.WriteJSON(w, status, mediaType, body)
}

func invalid(scimType, format string, args ...any) error {
	return fault.Newf(fault.Invalid, scimType, format, args...)
}
