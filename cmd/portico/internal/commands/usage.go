package commands

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/provider/usage"
)

const usageHelp = `Show how often people signed in, how many they were, how many access tokens were issued
and how many requests were refused or failed by our own fault: of a day by the hour, of a
month or a year by the day. Days are those of UTC. Servers write once a minute what they
have counted.`

func newUsageCommand(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "usage", Short: "Show what the server was used for", Args: cobra.NoArgs, Long: usageHelp + `

  portico usage
  portico usage --period year --json`,
	}
	return showingUsage(e, command, func(*wiring.Parts, *cobra.Command, []string) (string, error) { return "", nil })
}

func newClientUsage(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "usage CLIENT_ID", Short: "Show what an application was used for", Args: cobra.ExactArgs(1),
		Long: usageHelp + `

  portico client usage CLIENT_ID
  portico client usage CLIENT_ID --period day`,
	}
	return showingUsage(e, command, func(p *wiring.Parts, command *cobra.Command, args []string) (string, error) {
		client, err := p.Apps().Find(command.Context(), args[0])
		return client.ID, seeAlso(err, "client list")
	})
}

// showingUsage has the command show the usage of whom it is about.
func showingUsage(e *Env, command *cobra.Command,
	about func(*wiring.Parts, *cobra.Command, []string) (clientID string, err error)) *cobra.Command {
	named := command.Flags().String("period", string(usage.Month), "day, month or year, until now.")
	complete(command, "period", []string{string(usage.Day), string(usage.Month), string(usage.Year)})
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		period, err := usage.ReadPeriod(*named)
		if err != nil {
			return usagef("--period: expected day, month or year")
		}
		return e.with(command.Context(), func(p *wiring.Parts) error {
			clientID, err := about(p, command, args)
			if err != nil {
				return err
			}
			found, err := usage.Records{Store: p.Store, Ambient: p.Ambient}.Find(command.Context(), clientID, period)
			if err != nil {
				return err
			}
			return printUsage(e, usage.NewJSON(found), *asJSON)
		})
	}
	return command
}

func printUsage(e *Env, found usage.JSON, asJSON bool) error {
	if asJSON {
		return e.printJSON(found)
	}
	lines := make([][]string, len(found.Items))
	for i, one := range found.Items {
		lines[i] = []string{moment(one.Began)}
		for _, n := range []int64{one.SignIns, one.People, one.Tokens, one.Refused, one.Failed} {
			lines[i] = append(lines[i], strconv.FormatInt(n, 10))
		}
	}
	e.printTable("FROM SIGN-INS PEOPLE TOKENS REFUSED FAILED", lines)
	return nil
}
