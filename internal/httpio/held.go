package httpio

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"mime"
	"net/http"
	"time"
)

// MaxHeld is how large a form with a file is whose content is told from another's.
const MaxHeld = 6 << 20

// Held names what a form holds, which can still be read: who sends the same again sends
// the same name, and who goes back and types something else does not. It is empty for a
// form that holds nothing. One that is too large or does not arrive is not whole, and whoever
// reads it says so. Of a form with a file no more than most is kept, of one without no more
// than MaxForm.
func Held(w http.ResponseWriter, r *http.Request, most int64) (name string, whole bool) {
	media, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	limit, patience := int64(MaxForm), Patience
	if media == uploadType && most > MaxForm {
		limit, patience = most, uploadPatience
	}
	body, whole := readAhead(w, r, limit, patience)
	if !whole || len(body) == 0 {
		return "", whole
	}
	sum := sha256.New()
	boundary := []byte(params["boundary"]) // is another one each time
	for line := range bytes.Lines(body) {
		if len(boundary) == 0 || !bytes.Contains(line, boundary) {
			_, _ = sum.Write(line) // a hash takes everything
		}
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12]), true
}

// readAhead returns the body, if it is no larger than limit and arrives in time, and
// leaves it to be read.
func readAhead(w http.ResponseWriter, r *http.Request, limit int64, patience time.Duration) ([]byte, bool) {
	connection := http.NewResponseController(w)
	late := time.AfterFunc(patience, func() { _ = connection.SetReadDeadline(longAgo) }) // as in readBodyWithin
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	late.Stop()
	r.Body = readAgain{io.MultiReader(bytes.NewReader(body), r.Body), r.Body}
	return body, err == nil && int64(len(body)) <= limit
}

// readAgain is a body whose beginning was read.
type readAgain struct {
	io.Reader
	io.Closer
}
