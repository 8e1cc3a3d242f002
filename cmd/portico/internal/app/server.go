package app

import (
	"log/slog"
	"net/http"
	"time"
)

// Limits of the server. What a slow or a greedy client can hold is bounded by
// them.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second
	writeSlack        = 20 * time.Second // to write an answer, after the limit of its work
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
)

// newServer returns a server whose work of a request takes at most so long.
func newServer(handler http.Handler, limit time.Duration, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      limit + writeSlack,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
