package commands

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/provider/registration"
	"github.com/portico-id/portico/storage"
)

const registrationHelp = `Clients that register themselves (RFC 7591), and the initial tokens that let them.
Whether they may at all is dynamic_registration of portico policy.

  portico policy set dynamic_registration=token
  portico registration token --label assistants --uses 20
  portico registration list`

func newRegistrationCommand(e *Env) *cobra.Command {
	return group("registration", "See which clients registered themselves", registrationHelp, newRegistrationList(e),
		newRegistrationToken(e), newRegistrationTokens(e), newRegistrationEndToken(e))
}

func withRegistrar(ctx context.Context, e *Env, work func(*registration.Registrar) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error { return work(p.Registrar()) })
	return inFlags(err, fieldFlag)
}

func newRegistrationList(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "list", Short: "List the last that registered themselves", Args: cobra.NoArgs,
		Long: "List the last clients that registered themselves, newest first: who, from where, and by\n" +
			"which token. Those that nobody lets in for a day go by themselves.\n\n  portico registration list --json"}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return withRegistrar(command.Context(), e, func(r *registration.Registrar) error {
			all, err := r.List(command.Context())
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "registrations", "AT CLIENT NAME ADDRESS TOKEN USED", all,
				registration.NewEnrolmentJSON, func(one storage.Enrolment) []string {
					return []string{moment(one.CreatedAt), one.ClientID, one.ClientName, one.Address, one.TokenLabel,
						strconv.FormatBool(one.Used)}
				})
		})
	}
	return command
}

func newRegistrationToken(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "token", Short: "Make an initial token", Args: cobra.NoArgs,
		Long: "Make an initial token, which is shown this once. Whoever has it can register clients.\n\n" +
			"  portico registration token --label assistants --uses 20 --days 30"}
	label := command.Flags().String("label", "", "What it is for.")
	uses := command.Flags().Int("uses", registration.SomeUses, "How many clients it is for.")
	days := command.Flags().Int("days", registration.SomeDays, "How many days it lasts.")
	asJSON := jsonFlag(command)
	require(command, "label")
	command.RunE = func(command *cobra.Command, _ []string) error {
		return withRegistrar(command.Context(), e, func(r *registration.Registrar) error {
			token, text, err := r.AddToken(command.Context(), e.act(), *label, *uses, *days)
			if err != nil {
				return err
			}
			if *asJSON {
				told := registration.NewTokenJSON(token)
				told.Token = text
				return e.printJSON(told)
			}
			e.printRows([]row{{"Id", token.ID}, {"Token", text}, {"Until", moment(token.EndsAt)}})
			return nil
		})
	}
	return command
}

func newRegistrationTokens(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "tokens", Short: "List initial tokens", Args: cobra.NoArgs,
		Long: "List the initial tokens.\n\n  portico registration tokens"}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return withRegistrar(command.Context(), e, func(r *registration.Registrar) error {
			all, err := r.Tokens(command.Context())
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "tokens", "ID LABEL USES UNTIL", all, registration.NewTokenJSON,
				func(t storage.InitialToken) []string {
					return []string{t.ID, t.Label, strconv.Itoa(t.UsesLeft), moment(t.EndsAt)}
				})
		})
	}
	return command
}

func newRegistrationEndToken(e *Env) *cobra.Command {
	return &cobra.Command{Use: "end-token TOKEN_ID", Short: "End an initial token", Args: cobra.ExactArgs(1),
		Long: "End an initial token. The clients that came with it stay.\n\n  portico registration end-token TOKEN_ID",
		RunE: func(command *cobra.Command, args []string) error {
			return withRegistrar(command.Context(), e, func(r *registration.Registrar) error {
				return r.EndToken(command.Context(), e.act(), args[0])
			})
		}}
}
