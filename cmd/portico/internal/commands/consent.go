package commands

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/provider/accounts"
	"github.com/portico-id/portico/storage"
)

const consentHelp = `The apps that may act for a person, and how to take that back. USER is an id, an
e-mail address or a user name, CLIENT an app's client id.

  portico consent list person@example.com
  portico consent withdraw person@example.com CLIENT

People do the same on their own page, /account/apps.`

func newConsentCommand(e *Env) *cobra.Command {
	return group("consent", "See and withdraw which apps may act for a person", consentHelp,
		newConsentList(e), newConsentWithdraw(e),
	)
}

// withConsents opens the database around work for the user that a handle names.
func (e *Env) withConsents(ctx context.Context, handle string,
	work func(*accounts.Accounts, storage.User) error) error {
	return e.with(ctx, func(p *wiring.Parts) error {
		user, err := p.People().Find(ctx, handle)
		if err != nil {
			return err
		}
		return work(p.Accounts(), user)
	})
}

// connectionJSON is an app that may act for a person, on the command line.
type connectionJSON struct {
	ClientID        string                `json:"client_id"`
	Name            string                `json:"name"`
	Owner           string                `json:"owner"`
	Scopes          []string              `json:"scopes"`
	Since           time.Time             `json:"since"`
	LastConnectedAt *time.Time            `json:"last_connected_at"`
	EndsAt          *time.Time            `json:"ends_at"`
	Devices         []accounts.DeviceJSON `json:"devices"`
}

func newConsentList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list USER", Short: "List the apps that may act for a person", Args: cobra.ExactArgs(1),
		Long: `List the apps that may act for a person, with what each may do, since when, when it
last got tokens, and when it must ask the person to sign in again.

  portico consent list person@example.com
  portico consent list person@example.com --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withConsents(command.Context(), args[0], func(rules *accounts.Accounts, user storage.User) error {
			all, err := rules.List(command.Context(), user.ID)
			if err != nil {
				return err
			}
			return e.printConnections(*asJSON, all)
		})
	}
	return command
}

func (e *Env) printConnections(asJSON bool, all []accounts.Connection) error {
	toJSON := func(c accounts.Connection) connectionJSON {
		return connectionJSON{
			ClientID: c.Client.ID, Name: c.Client.Name, Owner: c.Owner, Scopes: append([]string{}, c.Scopes...),
			Since: c.Since, LastConnectedAt: adminapi.Moment(c.LastSeen), EndsAt: adminapi.Moment(c.EndsAt),
			Devices: accounts.DevicesJSON(c.Devices),
		}
	}
	const header = "CLIENT NAME SCOPES SINCE LAST-CONNECTED ENDS DEVICES"
	return printList(e, asJSON, "consents", header, all, toJSON, func(c accounts.Connection) []string {
		return []string{c.Client.ID, c.Client.Name, strings.Join(c.Scopes, " "), moment(c.Since),
			moment(c.LastSeen), moment(c.EndsAt), deviceIDs(c)}
	})
}

func newConsentWithdraw(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "withdraw USER CLIENT", Short: "End an app's access to a person", Args: cobra.ExactArgs(2),
		Long: `End an app's access to a person: what they consented to is forgotten, and all
tokens that the app has for them end within a second. When they next sign in to
it, it asks again, unless it belongs to the server.

  portico consent withdraw person@example.com CLIENT
  portico consent withdraw person@example.com CLIENT --device ID

With --device only what the app may on that device ends, which the person let in with
a code; consent list tells of devices.`,
	}
	device := command.Flags().String("device", "", "End it on this device alone")
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withConsents(command.Context(), args[0], func(rules *accounts.Accounts, user storage.User) error {
			if *device != "" {
				return endDevice(command.Context(), e, rules, user, args[1], *device)
			}
			if err := rules.Withdraw(command.Context(), e.act(), user.ID, args[1]); err != nil {
				return seeAlso(err, "consent list")
			}
			e.printf("The app %s can't act for %s any more.\n", args[1], user.Email)
			return nil
		})
	}
	return command
}

func endDevice(ctx context.Context, e *Env, rules *accounts.Accounts, user storage.User, clientID, id string) error {
	if err := rules.EndDevice(ctx, e.act(), user.ID, clientID, id); err != nil {
		return seeAlso(err, "consent list")
	}
	e.printf("The app %s can't act for %s on that device any more.\n", clientID, user.Email)
	return nil
}

func deviceIDs(c accounts.Connection) string {
	var ids []string
	for _, d := range c.Devices {
		ids = append(ids, d.ID)
	}
	return strings.Join(ids, " ")
}
