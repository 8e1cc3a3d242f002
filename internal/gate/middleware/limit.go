package middleware

import (
	"context"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// Limit ends the context of a request that takes too long: a database or a store
// that says nothing is waited for so long, and then the request is answered. 0 is no limit.
//
// A handler that is to take its time lifts the limit together with the one on
// writing its answer (http.ResponseController.SetWriteDeadline), or sets both.
func Limit(limit time.Duration, source *ambient.Source, next http.Handler) http.Handler {
	if limit == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancelCause(r.Context())
		defer cancel(nil)
		end := time.AfterFunc(limit, func() { cancel(context.DeadlineExceeded) })
		defer end.Stop()
		next.ServeHTTP(&limited{w, source, end}, r.WithContext(ctx))
	})
}

// limited is an answer whose time to be written is that of the work, too.
type limited struct {
	http.ResponseWriter
	ambient *ambient.Source
	end     *time.Timer
}

// SetWriteDeadline is for http.ResponseController.
func (l *limited) SetWriteDeadline(deadline time.Time) error {
	if deadline.IsZero() {
		l.end.Stop()
	} else {
		l.end.Reset(max(0, deadline.Sub(l.ambient.Now())))
	}
	return http.NewResponseController(l.ResponseWriter).SetWriteDeadline(deadline)
}

// Unwrap lets http.ResponseController reach the connection.
func (l *limited) Unwrap() http.ResponseWriter { return l.ResponseWriter }
