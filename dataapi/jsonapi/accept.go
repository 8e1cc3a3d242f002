package jsonapi

import (
	"mime"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// Reasons of the faults of media types.
const (
	ReasonMediaType     = "unsupported_media_type"
	ReasonNotAcceptable = "not_acceptable"
)

// CheckAccept refuses a client that wants the JSON:API media type only with
// parameters, which version 1.0 has none of (JSON:API 1.0, Content
// Negotiation): NotAcceptable.
func CheckAccept(r *http.Request) error {
	listed, plain := offers(r)
	if listed && !plain {
		return fault.New(fault.NotAcceptable, ReasonNotAcceptable,
			"Accept lists "+MediaType+" only with parameters; list it without.").At("Accept")
	}
	return nil
}

// CheckContentType refuses a request that names the JSON:API media type with
// parameters, whether or not it has a body: UnsupportedMedia.
func CheckContentType(r *http.Request) error {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && media == MediaType && len(parameters) > 0 {
		return unsupported()
	}
	return nil
}

func unsupported() error {
	return fault.New(fault.UnsupportedMedia, ReasonMediaType,
		"Send the body as "+MediaType+" without parameters, or as "+plainJSON+".").At("Content-Type")
}

// mediaTypeFor is JSON:API's own type for whoever lists it, else plain JSON.
func mediaTypeFor(r *http.Request) string {
	if _, plain := offers(r); plain {
		return MediaType
	}
	return plainJSON
}

// offers reports whether Accept lists the JSON:API media type, and whether it
// does so without parameters. A weight (q) is none.
func offers(r *http.Request) (listed, plain bool) {
	for entry := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		media, parameters, err := mime.ParseMediaType(entry)
		if err != nil || media != MediaType {
			continue
		}
		weight := parameters["q"]
		delete(parameters, "q")
		if strings.Trim(weight, "0.") == "" && weight != "" {
			continue // q=0: not wanted
		}
		listed = true
		plain = plain || len(parameters) == 0
	}
	return listed, plain
}
