package commands

import (
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage"
)

// provider.TokenPath is where assertions are exchanged, below the base URL.
const serviceAccountHelp = `Identities of programs that call APIs without a person. They belong to an
application of type service, which signs with an account's key and gets a token
that speaks for the account.

  portico service-account create --client CLIENT_ID --name night-job
  portico service-account key create ACCOUNT_ID --out key.json
  portico service-account token --key key.json --client-secret-file secret.txt --scope data:read

An application has at most 10 accounts, an account at most 3 keys. An account that
is not used for a year (PORTICO_SERVICE_ACCOUNT_EXPIRY) is deactivated until you
enable it again.

Every command works beside a running server, which acts on it within a second.`

func newServiceAccountCommand(e *Env) *cobra.Command {
	return group("service-account", "Give programs an identity, keys and tokens", serviceAccountHelp,
		newServiceAccountCreate(e), newServiceAccountList(e), newServiceAccountShow(e),
		e.newServiceAccountStatus("enable", storage.ServiceAccountEnabled, serviceAccountEnableHelp),
		e.newServiceAccountStatus("disable", storage.ServiceAccountDisabled, serviceAccountDisableHelp),
		newServiceAccountDelete(e), newServiceAccountKeyCommand(e), newServiceAccountToken(e),
	)
}

func newServiceAccountCreate(e *Env) *cobra.Command {
	var request serviceaccounts.Request
	command := &cobra.Command{
		Use: "create", Short: "Add a service account to an application", Args: cobra.NoArgs,
		Long: `Add a service account to an application of type service. The name has 5 to 100
letters, digits and dashes and is unique within the application.

  portico service-account create --client CLIENT_ID --name night-job

With --json the output is one object; its "service_account_id" is the account's.`,
	}
	command.Flags().StringVar(&request.ClientID, "client", "",
		"`CLIENT_ID` of the application that the account belongs to.")
	command.Flags().StringVar(&request.Name, "name", "", "Name; the account's address begins with it.")
	asJSON := jsonFlag(command)
	require(command, "client", "name")
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.with(command.Context(), func(p *wiring.Parts) error {
			if _, err := p.Apps().Find(command.Context(), request.ClientID); err != nil {
				return seeAlso(err, "client list")
			}
			account, err := p.Machines().Create(command.Context(), e.act(), operator(), request)
			if err != nil {
				return err
			}
			return e.printAccount(*asJSON, account)
		})
	}
	return command
}

func newServiceAccountList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List an application's service accounts", Args: cobra.NoArgs,
		Long: `List an application's service accounts, oldest first.

  portico service-account list --client CLIENT_ID
  portico service-account list --client CLIENT_ID --json`,
	}
	client := command.Flags().String("client", "", "`CLIENT_ID` of the application.")
	asJSON := jsonFlag(command)
	require(command, "client")
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.with(command.Context(), func(p *wiring.Parts) error {
			if _, err := p.Apps().Find(command.Context(), *client); err != nil {
				return seeAlso(err, "client list")
			}
			accounts, err := p.Machines().List(command.Context(), operator(), *client)
			if err != nil {
				return err
			}
			return e.printAccounts(*asJSON, accounts)
		})
	}
	return command
}

func newServiceAccountShow(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "show ACCOUNT_ID", Short: "Show a service account", Args: cobra.ExactArgs(1),
		Long: `Show a service account. When it was last used may lag by a second.

  portico service-account show ACCOUNT_ID
  portico service-account show ACCOUNT_ID --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withAccounts(command.Context(), func(rules *serviceaccounts.Accounts, _ config.Config) error {
			account, err := rules.Find(command.Context(), operator(), accountRef(args[0]))
			if err != nil {
				return err
			}
			return e.printAccount(*asJSON, account)
		})
	}
	return command
}

const (
	serviceAccountEnableHelp = `Let a disabled or deactivated service account go on. One that was deactivated gets
as much time as a new one. Tokens from before stay dead.

  portico service-account enable ACCOUNT_ID`

	serviceAccountDisableHelp = `Stop a service account: it gets no more tokens, and those it has end within a
second. Its keys rest until portico service-account enable.

  portico service-account disable ACCOUNT_ID`
)

func (e *Env) newServiceAccountStatus(verb string, want storage.ServiceAccountStatus, help string) *cobra.Command {
	command := &cobra.Command{
		Use: verb + " ACCOUNT_ID", Short: capital(verb) + " a service account", Args: cobra.ExactArgs(1), Long: help,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withAccounts(command.Context(), func(rules *serviceaccounts.Accounts, _ config.Config) error {
			account, err := rules.SetStatus(command.Context(), e.act(), operator(), accountRef(args[0]), want)
			if err != nil {
				return err
			}
			return e.printAccount(*asJSON, account)
		})
	}
	return command
}

func newServiceAccountDelete(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "delete ACCOUNT_ID", Short: "Remove a service account for good", Args: cobra.ExactArgs(1),
		Long: `Remove a service account for good, with its keys; its tokens end within a second.
It asks first; scripts say --yes. To stop it for a while, disable it instead.

  portico service-account delete ACCOUNT_ID --yes`,
	}
	yes := yesFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withAccounts(command.Context(), func(rules *serviceaccounts.Accounts, _ config.Config) error {
			account, err := rules.Find(command.Context(), operator(), accountRef(args[0]))
			if err != nil {
				return err
			}
			if err := e.confirm(*yes, "Delete %s (%s) with its keys?", account.Email, account.ID); err != nil {
				return err
			}
			if err := rules.Delete(command.Context(), e.act(), operator(), accountRef(account.ID)); err != nil {
				return err
			}
			e.printf("%s is deleted.\n", account.ID)
			return nil
		})
	}
	return command
}
