package objects

import (
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

const plainBytes = "application/octet-stream"

// harmless are the types that bytes are served with: a browser shows them
// without running anything of theirs. What is something else is served as
// plain bytes. HTML and SVG are not among them and never will be.
var harmless = []string{
	"application/pdf", "audio/mpeg", "audio/wav", "image/bmp", "image/gif", "image/jpeg", "image/png", "image/webp",
	"text/plain", "video/mp4", "video/webm",
}

// sniff returns the media type of bytes by how they begin, whatever their name
// or their sender says.
func sniff(head []byte) string {
	media, _, err := mime.ParseMediaType(mimetype.Detect(head).String())
	if err != nil {
		return plainBytes
	}
	return media
}

// presentation is how bytes are to be served.
type presentation struct {
	Type        string `json:"t,omitempty"`
	Disposition string `json:"d,omitempty"`
	Cache       string `json:"c,omitempty"`
}

// Parameters by which clients want bytes served otherwise.
const (
	paramType        = "response-content-type"
	paramDisposition = "response-content-disposition"
	paramCache       = "response-cache-control"
)

var cacheForm = pattern.Of(`^[A-Za-z0-9=, -]{1,100}$`)

// present returns how the bytes of the object are served: with the type of
// their beginning, if that is harmless, as a file to be saved, unless the client
// wants another harmless way.
func present(o storage.Object, q url.Values) (presentation, error) {
	show := presentation{Type: plainBytes, Cache: q.Get(paramCache)}
	if slices.Contains(harmless, o.MimeType) {
		show.Type = o.MimeType
	}
	if wanted := q.Get(paramType); wanted != "" {
		media, _, err := mime.ParseMediaType(wanted)
		if err != nil || media != plainBytes && !slices.Contains(harmless, media) {
			return show, fault.Newf(fault.Invalid, reasonInvalid, "The type may be %s or one of %s.", plainBytes,
				strings.Join(harmless, ", ")).At(paramType)
		}
		show.Type = media
	}
	if show.Cache != "" && !cacheForm().MatchString(show.Cache) {
		return show, fault.New(fault.Invalid, reasonInvalid, "This is no value of Cache-Control.").At(paramCache)
	}
	inline, name, err := readDisposition(q.Get(paramDisposition), o.Name)
	if err != nil {
		return show, err
	}
	if inline && show.Type == plainBytes {
		return show, fault.Newf(fault.Invalid, reasonInvalid,
			"Bytes of this type can only be saved, not shown.").At(paramDisposition)
	}
	show.Disposition = httpio.Disposition(inline, name)
	if show.Type == "text/plain" {
		show.Type = "text/plain; charset=utf-8"
	}
	return show, nil
}

// readDisposition reads what a client wants the bytes to be: shown or saved, and
// under which name.
func readDisposition(wanted, usual string) (inline bool, name string, err error) {
	if wanted == "" {
		return false, usual, nil
	}
	kind, parameters, err := mime.ParseMediaType(wanted)
	if err != nil || kind != "inline" && kind != "attachment" {
		return false, "", fault.New(fault.Invalid, reasonInvalid,
			`The disposition must look like attachment; filename="name.txt".`).At(paramDisposition)
	}
	if given := parameters["filename"]; given != "" {
		usual = given
	}
	return kind == "inline", usual, nil
}
