package commands

import (
	"context"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/doctor"
	"github.com/portico-id/portico/internal/fault"
)

const healthcheckHelp = `Ask the server on this machine, at the first address of PORTICO_LISTEN, whether
it is ready, or with --live whether it is up: exit code 0, or 1 with the reason.
It is for containers, which have no other program to ask with.`

// healthcheckTime is how long the server may take to answer.
const healthcheckTime = 5 * time.Second

func newHealthcheckCommand(e *Env) *cobra.Command {
	var live bool
	command := &cobra.Command{
		Use: "healthcheck", Short: "Ask the server on this machine whether it is ready",
		Long: healthcheckHelp, Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := e.config()
			if err != nil {
				return err
			}
			path := "/readyz"
			if live {
				path = "/healthz"
			}
			said, err := askServer(command.Context(), c, path)
			e.printf("%s", said)
			return err
		},
	}
	command.Flags().BoolVar(&live, "live", false, "Ask whether it is up, whatever its parts do.")
	return command
}

// askServer returns what the server says, and an error unless that is yes.
func askServer(ctx context.Context, c config.Config, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, healthcheckTime)
	defer cancel()
	status, said, err := doctor.AskServer(ctx, c, path)
	if err == nil && status != http.StatusOK {
		err = fault.Newf(fault.Unavailable, "", "The server answers with the status %d.", status)
	}
	return said, err
}
