package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Run serves until the context ends and then finishes the requests in flight.
// It returns nil after a stop that was asked for.
func (a *App) Run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx = a.parts.tracer.Carry(ctx)
	var work sync.WaitGroup
	serve := func(server *http.Server, listeners []net.Listener) {
		for _, listener := range listeners {
			work.Go(func() {
				if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
					stop(err)
				}
			})
		}
	}
	serve(a.server, a.listeners)
	serve(a.watchpost.server, a.watchpost.listeners)
	work.Go(func() { a.parts.upkeep.run(ctx) })
	work.Go(func() { a.parts.Store.Listen(ctx, a.parts.heed) })
	work.Go(func() { a.parts.follower.Run(ctx) })
	work.Go(func() { a.parts.scanner.Run(ctx) })
	work.Go(func() { a.parts.provider.LogoutDeliveries().Run(ctx) })
	work.Go(func() { a.parts.courier.Run(ctx) })
	work.Go(func() { a.parts.directories.Run(ctx) })
	work.Go(func() { a.parts.sender.Run(ctx) })
	a.log.InfoContext(ctx, "ready", "url", a.URL(), "address", a.Addr())
	<-ctx.Done()
	a.beLame()
	err := errors.Join(a.shutDown(), a.watchpost.close()) // it tells of the last requests, too
	work.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		err = errors.Join(cause, err)
	}
	return err
}

// heed forgets what is remembered for a moment of a table that has changed; ""
// stands for any. What is not told is looked at each half second.
func (p *parts) heed(table string) {
	if table == "" || table == "clients" {
		p.provider.ForgetClients()
		p.origins.Forget()
	}
	if table == "" || table == "resources" {
		p.Resources().Forget()
	}
	if table == "" || strings.HasPrefix(table, "service_account") {
		p.Machines().ForgetKeys()
	}
	if table == "" || strings.HasSuffix(table, "signing_keys") {
		p.keys.Look()
	}
}

// watchedFor is how long after a question for readiness somebody is taken to go
// on asking.
const watchedFor = time.Minute

// beLame goes on serving for a while, but says that it stops, so that whoever
// spreads the requests sends the next ones elsewhere. Where nobody asks, nobody
// would hear of it.
func (a *App) beLame() {
	a.stopping.Store(true)
	a.log.Info("stopping")
	asked := time.Duration(a.watchedAt.Load())
	if asked > 0 && a.parts.Ambient.Elapsed()-asked < watchedFor {
		time.Sleep(a.config.LameDuck)
	}
}

// shutDown stops listening and waits for the requests in flight. Those that take
// longer than they may are cut.
func (a *App) shutDown() error {
	ctx, cancel := context.WithTimeout(context.Background(), a.config.Drain)
	defer cancel()
	err := a.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		a.log.Warn("requests took longer than PORTICO_DRAIN_TIME and were cut")
		return a.server.Close()
	}
	return err
}
