package middleware

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// Recover answers a panicking handler with an Internal fault and leaves the
// stack to the log line. When part of an answer is out already the connection
// is cut, so that nobody takes the part for the whole.
func Recover(https bool, writeError httpio.ErrorWriter, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			if abort, ok := cause.(error); ok && errors.Is(abort, http.ErrAbortHandler) {
				panic(cause)
			}
			err := fault.New(fault.Internal, "panic", "").Because(fmt.Errorf("%v\n%s", cause, debug.Stack()))
			httpio.From(r.Context()).Err = err
			if a, ok := w.(*answer); ok && a.started() {
				panic(http.ErrAbortHandler)
			}
			startOver(w.Header(), https)
			writeError(w, r, err)
		}()
		next.ServeHTTP(w, r)
	})
}

// startOver takes back what the handler had set.
func startOver(header http.Header, https bool) {
	id := header.Get(requestIDHeader)
	clear(header)
	header.Set(requestIDHeader, id)
	setSecurityHeaders(header, https)
}
