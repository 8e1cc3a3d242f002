package httpio

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

const (
	uploadType = "multipart/form-data"

	// uploadPatience is how long a small file may take to arrive, over a slow
	// connection too.
	uploadPatience = 10 * time.Second

	uploadFrame = 4 << 10 // bytes around the file: boundaries and headers
)

// ReadUpload reads the body as a form with a single file of at most limit bytes
// in the field (RFC 7578), and returns what is in it: nothing, when the person
// chose no file. What the browser says about its name and type is passed over.
//
// Faults: UnsupportedMedia for another media type, TooLarge beyond the limit,
// else Invalid.
func ReadUpload(w http.ResponseWriter, r *http.Request, field string, limit int64) ([]byte, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != uploadType || params["boundary"] == "" {
		return nil, fault.New(fault.UnsupportedMedia, ReasonInvalidRequest,
			"Send the body as "+uploadType+".").At("Content-Type")
	}
	body, err := readBodyWithin(w, r, limit+uploadFrame, uploadPatience)
	if err != nil {
		return nil, err
	}
	form := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	part, err := form.NextRawPart()
	if err != nil || part.FormName() != field {
		return nil, invalid("The form does not begin with its file.")
	}
	file, err := io.ReadAll(part)
	if err != nil {
		return nil, invalid("The form ends in the middle of its file.")
	}
	if _, err := form.NextRawPart(); !errors.Is(err, io.EOF) {
		return nil, invalid("The form has more than its file.")
	}
	if int64(len(file)) > limit {
		return nil, fault.Newf(fault.TooLarge, ReasonInvalidRequest, "The file is larger than %d bytes.", limit)
	}
	return file, nil
}

// ReadFile reads a body of the media type, of at most limit bytes, which may
// take its time as one of ReadUpload. Faults: UnsupportedMedia, TooLarge, else
// Invalid.
func ReadFile(w http.ResponseWriter, r *http.Request, mediaType string, limit int64) ([]byte, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != mediaType {
		return nil, fault.New(fault.UnsupportedMedia, ReasonInvalidRequest,
			"Send the body as "+mediaType+".").At("Content-Type")
	}
	return readBodyWithin(w, r, limit, uploadPatience)
}

// ReadPicture reads a body that is a JPEG by what it says, and else has to be a PNG,
// as ReadFile does.
func ReadPicture(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	media := "image/png"
	if r.Header.Get("Content-Type") == "image/jpeg" {
		media = "image/jpeg"
	}
	return ReadFile(w, r, media, limit)
}
