package commands

import (
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
)

const serveHelp = `Run the server until it is told to stop (SIGTERM or SIGINT); requests in flight
are finished. At its start it brings the database to its schema and makes the
first signing key when there is none. Without any setting it listens on
localhost, keeps everything in ./data and makes its secret there.

Every flag is also a line of the YAML file (base_url: …) and an environment
variable (PORTICO_BASE_URL=…).`

func newServeCommand(e *Env, serve Serve) *cobra.Command {
	var demo bool
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long:  serveHelp,
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := e.config()
			if err != nil {
				return err
			}
			return serve(command.Context(), e, c, demo)
		},
	}
	command.Flags().BoolVar(&demo, "demo", false,
		"Add a demo user and a demo client, print them and write them to demo.env in the data directory.")
	command.Flags().SortFlags = false
	shared := map[string]bool{}
	for _, s := range sharedSettings() {
		shared[s.Name] = true
	}
	for _, s := range config.Flags() {
		if !shared[s.Name] {
			addSetting(command.Flags(), s)
		}
	}
	return command
}
