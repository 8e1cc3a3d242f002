package e2e

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/app"
	"github.com/portico-id/portico/cmd/portico/internal/commands"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/pgtest"
	passwords "github.com/portico-id/portico/internal/password"
)

// asPortico makes this binary be portico: tests that need a server in a process
// of its own start themselves with it, race detector and all.
const asPortico = "E2E_AS_PORTICO"

func TestMain(m *testing.M) {
	if os.Getenv(asPortico) != "" {
		os.Exit(bePortico())
	}
	pgtest.Main(withBrowser{m})
}

// bePortico is what cmd/portico does. In addition the process ends with its
// standard input, which the test holds: not even a killed test leaves a server. And
// passwords are hashed as cheaply as by a server in this process.
func bePortico() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	return app.Run(ctx, os.Args[1:], &commands.Env{Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(),
		Ambient: ambient.System(), Hasher: passwords.NewCheap(ambient.System())})
}
