package jsonapi

import (
	"net/http"

	"github.com/portico-id/portico/internal/httpio"
)

// ReasonInvalid is the reason of what is wrong with a document or a parameter.
const ReasonInvalid = "bad_input"

// Read decodes the body, one document, into v under the strict rules of
// httpio.ReadJSON. Faults: UnsupportedMedia unless the type is JSON:API's
// or application/json (CheckContentType), TooLarge, else Invalid with a JSON
// pointer where one is known.
func Read(w http.ResponseWriter, r *http.Request, v any) error {
	if _, known := sentAs(r); !known {
		return unsupported()
	}
	return httpio.ReadJSON(w, r, v)
}
