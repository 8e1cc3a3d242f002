package app

import (
	"context"
	_ "embed" // the table of routes
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/commands"
	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/demo"
	"github.com/portico-id/portico/internal/ambient"
)

// routeTable is every route as a test finds them.
//
//go:embed testdata/routes.golden
var routeTable string

// Main runs the command line and returns the process's exit code. A server that
// it starts stops when the context ends.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	return Run(ctx, args, &commands.Env{Stdin: stdin, Stdout: stdout, Stderr: stderr, Environ: environ,
		Ambient: ambient.System()})
}

// Run is Main for who says more of the process: a test, whose passwords are hashed cheaply.
func Run(ctx context.Context, args []string, env *commands.Env) int {
	env.Routes = routeTable
	return commands.Execute(ctx, env, args, serve)
}

// settled is how long after its start a server gives memory back: not while the first
// requests wait for it.
const settled = 5 * time.Second

// serve is the work of `portico serve`.
func serve(ctx context.Context, env *commands.Env, c config.Config, withDemo bool) error {
	collectLess(env.Environ)
	out := newLogWriter(env.Stderr, env.Ambient.Now)
	defer out.close()
	log := slog.New(slog.NewJSONHandler(out, nil))
	defer heedHangUps(log)()
	o := Options{Log: log, Ambient: env.Ambient, Hasher: env.Hasher, Pair: env.Pair}
	if withDemo {
		o.Demo = demo.Shown()
	}
	a, err := New(ctx, c, o)
	if err != nil && ctx.Err() != nil {
		return nil // told to stop: what was under way says only that it could not go on
	}
	if err != nil {
		return err
	}
	if withDemo {
		err = a.prepareDemo(ctx, c.DataDir, env.Stdout)
	}
	if err == nil {
		err = a.offerSetUp(ctx, env.Stdout)
	}
	// A start makes much that nothing needs later: hashing one password takes 19 MiB.
	defer time.AfterFunc(settled, debug.FreeOSMemory).Stop()
	if err == nil {
		err = a.Run(ctx)
	} else if ctx.Err() != nil {
		err = nil // as above
	}
	return errors.Join(err, a.Close())
}

// heedHangUps has a hang-up of the terminal, or the signal that tells other
// servers to read their settings again, end nothing: what may change while we run
// is read when it changes.
func heedHangUps(log *slog.Logger) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			log.Info("SIGHUP ends nothing: certificates are read when their files change")
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}
