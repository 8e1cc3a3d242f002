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
// parameters, whether or not it has a body: UnsupportedMedia. A charset of UTF-8
// is none (Divergence: JSON:API refuses that too).
func CheckContentType(r *http.Request) error {
	if media, known := sentAs(r); media == MediaType && !known {
		return unsupported()
	}
	return nil
}

// sentAs returns the media type of the body, and whether bodies are read as
// that. JSON is always UTF-8 (RFC 8259 8.1), which many libraries say besides.
func sentAs(r *http.Request) (media string, known bool) {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return "", false
	}
	if charset, named := parameters["charset"]; named && !strings.EqualFold(charset, "utf-8") {
		return media, false
	}
	delete(parameters, "charset")
	return media, media == plainJSON || media == MediaType && len(parameters) == 0
}

func unsupported() error {
	return fault.New(fault.UnsupportedMedia, ReasonMediaType,
		"Send the body in UTF-8, as "+MediaType+" or "+plainJSON+" without further parameters.").At("Content-Type")
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
