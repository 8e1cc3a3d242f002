package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage"
)

// withIdentities is withUpstreams for the user that a handle names.
func withIdentities(ctx context.Context, e *Env, handle string,
	work func(*upstreams.Upstreams, storage.User) error) error {
	return withUpstreams(ctx, e, func(rules *upstreams.Upstreams, p *wiring.Parts) error {
		user, err := p.People().Find(ctx, handle)
		if err != nil {
			return seeAlso(err, "user list")
		}
		return work(rules, user)
	})
}

// identityJSON is an identity as it is printed.
type identityJSON struct {
	Upstream string `json:"upstream"`
	Issuer   string `json:"issuer"`
	Subject  string `json:"subject"`
	Email    string `json:"email"`
	LinkedAt any    `json:"linked_at"`
	LastAt   any    `json:"last_at"`
	EndedAt  any    `json:"ended_at"`
}

func newIdentityJSON(i storage.UpstreamIdentity) identityJSON {
	return identityJSON{i.UpstreamID, i.Issuer, i.Subject, i.Email, adminapi.Moment(i.LinkedAt),
		adminapi.Moment(i.LastAt), adminapi.Moment(i.EndedAt)}
}

func newUserIdentities(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "identities USER", Short: "List by which accounts elsewhere a person signs in", Args: cobra.ExactArgs(1),
		Long: `List what providers and directories know a person by, those too that have ended
because the person is gone there.

  portico user identities person@example.com`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return withIdentities(command.Context(), e, args[0], func(rules *upstreams.Upstreams, user storage.User) error {
			all, err := rules.Identities(command.Context(), user.ID)
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "identities", "UPSTREAM SUBJECT EMAIL SINCE LAST ENDED", all, newIdentityJSON,
				func(i storage.UpstreamIdentity) []string {
					return []string{i.UpstreamID, i.Subject, i.Email, moment(i.LinkedAt), moment(i.LastAt), moment(i.EndedAt)}
				})
		})
	}
	return command
}

func newUserDisconnect(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "disconnect USER UPSTREAM", Short: "Take an account elsewhere off a person's", Args: cobra.ExactArgs(2),
		Long: `Take off a person's account what a provider knows them by. What they are signed in
to by it ends within a second. The last way to sign in stays, unless with --force.

  portico user disconnect person@example.com works`,
	}
	force := command.Flags().Bool("force", false, "Even if they can't sign in any more.")
	command.RunE = func(command *cobra.Command, args []string) error {
		return withIdentities(command.Context(), e, args[0], func(rules *upstreams.Upstreams, user storage.User) error {
			act := e.act()
			act.Force = *force
			taken, err := rules.Disconnect(command.Context(), act, user.ID, args[1])
			if err != nil {
				return err
			}
			if !taken {
				e.printf("No account of %s is connected to that of %s.\n", args[1], user.Email)
				return nil
			}
			e.printf("The account of %s is taken off that of %s.\n", args[1], user.Email)
			return nil
		})
	}
	return command
}
