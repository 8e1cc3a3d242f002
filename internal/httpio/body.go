package httpio

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Patience is how long the body of a form or a JSON document may take to
// arrive. Nearly all of them come in one piece with the head of the request;
// who sends byte by byte wants to hold on to a connection.
const Patience = time.Second

// longAgo is a deadline that has passed, for every clock.
var longAgo = time.Unix(1, 0)

// readBody returns the whole body of at most limit bytes.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	return readBodyWithin(w, r, limit, Patience)
}

func readBodyWithin(w http.ResponseWriter, r *http.Request, limit int64, patience time.Duration) ([]byte, error) {
	connection := http.NewResponseController(w)
	late := time.AfterFunc(patience, func() {
		// It fails where there is no connection, and so no waiting for one.
		// The connection ends with the answer: nothing is read from it again.
		_ = connection.SetReadDeadline(longAgo)
	})
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	inTime := late.Stop()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fault.Newf(fault.TooLarge, ReasonInvalidRequest, "The body is larger than %d bytes.", limit)
	case !inTime, errors.Is(err, os.ErrDeadlineExceeded):
		return nil, invalid("The body did not arrive in time.").Because(err)
	case err != nil:
		return nil, invalid("The body ended early.").Because(err)
	}
	return body, nil
}
