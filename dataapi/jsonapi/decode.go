package jsonapi

import (
	"mime"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/httpio"
)

// ReasonInvalid is the reason of what is wrong with a document or a parameter.
const ReasonInvalid = "bad_input"

// Read decodes the body, one document, into v under the strict rules of
// httpio.ReadJSON. Faults: UnsupportedMedia unless the type is JSON:API's
// without parameters or application/json (decision J1), TooLarge, else Invalid
// with a JSON pointer where one is known.
func Read(w http.ResponseWriter, r *http.Request, v any) error {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return unsupported()
	}
	charset, named := parameters["charset"]
	delete(parameters, "charset")
	switch {
	case media == MediaType && (named || len(parameters) > 0):
		return unsupported()
	case media == plainJSON && named && !strings.EqualFold(charset, "utf-8"):
		return unsupported()
	case media != MediaType && media != plainJSON:
		return unsupported()
	}
	return httpio.ReadJSON(w, r, v)
}
