package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/metrics"
)

// watchpost is where metrics are told: on addresses of its own, because not everybody who
// may sign in may see them.
type watchpost struct {
	server    *http.Server
	listeners []net.Listener
}

// newWatchpost listens where the configuration says; nowhere when it says nothing.
func newWatchpost(ctx context.Context, c config.Config, log *slog.Logger) (*watchpost, error) {
	listeners, err := listen(ctx, c.MetricsListen, log)
	if f := fault.From(err); f != nil {
		return nil, f.At("PORTICO_METRICS_LISTEN")
	}
	return &watchpost{listeners: listeners, server: newServer(nil, 0, log)}, nil
}

// tell lets the metrics be read; nil: there are none.
func (w *watchpost) tell(m *metrics.Metrics) {
	routes := http.NewServeMux()
	if m != nil {
		routes.Handle("GET /metrics", m.Handler())
	}
	w.server.Handler = routes
}

func (w *watchpost) close() error { return errors.Join(w.server.Close(), closeAll(w.listeners)) }
