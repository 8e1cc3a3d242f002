package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/gate/signing"
)

func newKeyForget(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "forget", Short: "Refuse the tokens of former keys at once", Args: cobra.NoArgs,
		Long: `Remove the keys that signed before the present ones, so that their tokens are refused
within a second: for keys that somebody else has. Whoever had the secret and the
database knows the present keys and the next ones, too. Change the secret, rotate those
of all algorithms twice, and forget:

  portico key rotate --at-once --algorithm all
  portico key rotate --at-once --algorithm all
  portico key forget

Where the secret is lost the server does not start, for nothing opens its keys any more.
--sealed removes them all; the next start makes new ones, and no token of before is good:

  portico key forget --sealed`,
	}
	yes := yesFlag(command)
	sealed := command.Flags().Bool("sealed", false, "Remove all keys, where the secret opens none of them.")
	command.RunE = func(command *cobra.Command, _ []string) error {
		question := "Refuse the tokens of all former keys?"
		if *sealed {
			question = "Remove all signing keys, with every token they signed?"
		}
		if err := e.confirm(*yes, question); err != nil {
			return err
		}
		return forgetKeys(command.Context(), e, *sealed)
	}
	return command
}

func forgetKeys(ctx context.Context, e *Env, sealed bool) error {
	if sealed {
		return e.with(ctx, func(p *wiring.Parts) error {
			ring, err := p.Ring()
			if err != nil {
				return err
			}
			return signing.ForgetSealed(ctx, signing.Options{Store: p.Store, Ring: ring}, e.act())
		})
	}
	return e.withKeys(ctx, func(keys *signing.KeySet) error { return keys.Forget(ctx, e.act()) })
}
