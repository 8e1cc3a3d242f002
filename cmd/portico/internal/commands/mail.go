package commands

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

const mailHelp = `Mails that the server sends: those of the last week, and those that wait. A
running server sends them; what each said is forgotten once it was sent.

  portico mail list
  portico mail resend MAIL
  portico mail test person@example.com`

func newMailCommand(e *Env) *cobra.Command {
	return group("mail", "See which mails were sent, and send them again", mailHelp, newMailList(e),
		newMailResend(e), newMailTest(e))
}

// withOutbox opens the database around a command's work. Where mails become files they are not
// what their state says.
func (e *Env) withOutbox(ctx context.Context, work func(*outbox.Outbox) error) error {
	err := e.with(ctx, func(p *wiring.Parts) error {
		if !p.Config.Delivers {
			e.note("The server has no mail server (PORTICO_SMTP_URL), so nobody gets mail: mails lie as files in " +
				"the folder mail of its data directory.")
		}
		return work(outbox.New(outbox.Options{Store: p.Store, Ambient: p.Ambient}))
	})
	if fault.Is(err, fault.NotFound) {
		return seeAlso(err, "mail list")
	}
	return err
}

func newMailList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list [ADDRESS]", Short: "List mails", Args: cobra.MaximumNArgs(1),
		Long: `List the mails of the last week, newest first, all or those to one address.

  portico mail list
  portico mail list person@example.com --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		address := ""
		if len(args) > 0 {
			address = args[0]
		}
		return e.withOutbox(command.Context(), func(rules *outbox.Outbox) error {
			all, err := storage.EveryPage(func(page storage.PageRequest) ([]storage.Mail, string, error) {
				return rules.List(command.Context(), address, page)
			})
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "mails", "ID STATE KIND TO CREATED ATTEMPTS NEXT WHY", all, outbox.NewJSON,
				func(m storage.Mail) []string {
					return []string{
						strconv.FormatInt(m.ID, 10), m.State(), m.Kind, m.To, moment(m.CreatedAt), strconv.Itoa(m.Attempts),
						moment(m.NextAt), m.Failure,
					}
				})
		})
	}
	return command
}

func newMailResend(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "resend MAIL", Short: "Send a mail again that was not sent", Args: cobra.ExactArgs(1),
		Long: `Send a mail again that was not sent, now, and then as often as a new one. MAIL is
an id of portico mail list.

  portico mail resend 17`,
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return usagef("MAIL is a number of portico mail list, not %q", args[0])
		}
		return e.withOutbox(command.Context(), func(rules *outbox.Outbox) error {
			if err := rules.Resend(command.Context(), e.act(), id); err != nil {
				return err
			}
			e.printf("Mail %d is tried again now.\n", id)
			return nil
		})
	}
	return command
}

func newMailTest(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "test USER", Short: "Send a person a mail, to see whether it arrives", Args: cobra.ExactArgs(1),
		Long: `Send a person a mail, to see whether it arrives. portico mail list shows what
becomes of it.

  portico mail test admin@example.com`,
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withUser(command.Context(), args[0], func(_ *people.People, user storage.User) error {
			return e.withOutbox(command.Context(), func(rules *outbox.Outbox) error {
				if err := rules.SendTest(command.Context(), e.act(), user.Email, "The operator"); err != nil {
					return err
				}
				e.printf("A mail to %s is on its way.\n", user.Email)
				return nil
			})
		})
	}
	return command
}
