package e2e

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/portico-id/portico/internal/app"
	"github.com/portico-id/portico/internal/pgtest"
)

// asPortico makes this binary be portico: tests that need a server in a process
// of its own start themselves with it, race detector and all.
const asPortico = "E2E_AS_PORTICO"

func TestMain(m *testing.M) {
	if os.Getenv(asPortico) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := app.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
		stop()
		os.Exit(code)
	}
	pgtest.Main(m)
}
