package provider

import (
	"maps"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/sealing"
)

// maxRequestObject bounds what is looked into, in characters.
const maxRequestObject = 16 << 10

// forRefusal returns the parameters that say how a refusal goes out: those of
// the request, and response_mode and state from within a request object where
// only that has them. We refuse every request object, and a client that put all
// into one could not tell whose refusal it was. Nothing else is ever read from
// one, and no signature is asked about: whoever sends the object could have sent
// these two beside it.
func forRefusal(params url.Values) url.Values {
	object := readRequestObject(params["request"])
	whole := maps.Clone(params)
	for name, value := range map[string]string{"response_mode": object.ResponseMode, "state": object.State} {
		if value != "" && !params.Has(name) {
			whole.Set(name, value)
		}
	}
	return whole
}

// requestObject is what is read from one (OpenID Connect Core 6.1).
type requestObject struct {
	ResponseMode string `json:"response_mode"`
	State        string `json:"state"`
}

// readRequestObject reads the one request object, a compact JWS; nothing of
// what can't be read.
func readRequestObject(given []string) requestObject {
	if len(given) != 1 || len(given[0]) > maxRequestObject {
		return requestObject{}
	}
	parts := strings.Split(given[0], ".")
	if len(parts) != 3 {
		return requestObject{}
	}
	payload, err := sealing.Decode(parts[1])
	var object requestObject
	if err != nil || httpio.DecodeJSON(payload, &object) != nil {
		return requestObject{}
	}
	return object
}
