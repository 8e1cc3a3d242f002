// Package app puts Portico together: it opens the database, wires the areas to
// what they need and serves them. It is the only package that knows everything.
//
// Rules live in the areas (provider, …), not here. Start at New for how the
// parts hang together, at routes.go for which area answers what, and at run.go
// and main.go for the process around it.
package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/portico-id/portico/cmd/portico/internal/config"
)

// App is one running Portico. Make it with New, serve with Run, end with Close.
type App struct {
	config    config.Config
	log       *slog.Logger
	parts     *parts
	listeners []net.Listener
	server    *http.Server
	watchpost *watchpost
	readiness *readiness
	watchedAt atomic.Int64 // when somebody last asked for readiness, nanoseconds of Ambient.Elapsed; 0: never
	stopping  atomic.Bool
	closing   sync.Once
}

// New listens, opens the database, brings it to this binary's schema, makes
// what a first start needs (secret, signing key, administrator) and wires the
// routes. Nothing is served before Run. Whatever is wrong with the
// configuration comes back as an error that names the setting.
func New(ctx context.Context, c config.Config, o Options) (*App, error) {
	listeners, err := listenAll(ctx, c, o)
	if err != nil {
		return nil, err
	}
	a := &App{config: c, log: o.Log, listeners: listeners}
	if a.watchpost, err = newWatchpost(ctx, c, o.Log); err != nil {
		return nil, errors.Join(err, closeAll(listeners))
	}
	if a.config.BaseURL == "" {
		a.config.BaseURL = localURL(listeners[0], c.TLS.Cert != "")
	}
	if a.parts, err = newParts(ctx, a.config, o); err != nil {
		return nil, errors.Join(err, closeAll(listeners), a.watchpost.close())
	}
	a.parts.metrics = newMetrics(a.parts)
	a.watchpost.tell(a.parts.metrics)
	a.readiness = newReadiness(a.parts, a.config)
	a.server = newServer(newRouter(a.areas(), a.parts, a.config), a.config.RequestLimit, a.log)
	a.server.RegisterOnShutdown(a.parts.feed.EndWaits)
	return a, nil
}

// Addr is the address of the first listener, as host:port.
func (a *App) Addr() string { return a.listeners[0].Addr().String() }

// URL is the base URL.
func (a *App) URL() string { return a.config.BaseURL }

// Close gives back everything that New took. It may be called after Run, or
// instead of it, and more than once.
func (a *App) Close() error {
	var err error
	a.closing.Do(func() {
		err = errors.Join(a.server.Close(), closeAll(a.listeners), a.watchpost.close(), a.parts.close())
	})
	return err
}
