package commands

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/serviceaccounts"
	"github.com/portico-id/portico/storage"
)

const serviceAccountKeyHelp = `The keys of a service account. Its account must be enabled.

  portico service-account key create ACCOUNT_ID --out key.json
  portico service-account key list ACCOUNT_ID
  portico service-account key disable ACCOUNT_ID KID

To replace a key, create the next one, move the program over and delete the former.`

func newServiceAccountKeyCommand(e *Env) *cobra.Command {
	return group("key", "Create, list and end the keys of a service account", serviceAccountKeyHelp,
		newServiceAccountKeyCreate(e), newServiceAccountKeyList(e),
		e.newServiceAccountKeyStatus("enable", storage.KeyEnabled, `Let a disabled key go on.

  portico service-account key enable ACCOUNT_ID KID`),
		e.newServiceAccountKeyStatus("disable", storage.KeyDisabled,
			`Stop a key: what it signs is refused, and tokens that came from it end within a
second.

  portico service-account key disable ACCOUNT_ID KID`),
		newServiceAccountKeyDelete(e),
	)
}

func newServiceAccountKeyCreate(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "create ACCOUNT_ID", Short: "Create a key for a service account", Args: cobra.ExactArgs(1),
		Long: `Create a key for a service account. The private half is shown this once and never
kept. With --out it goes to a new file that nobody else on the machine can read,
together with all that a program needs to use it; otherwise to the terminal.

  portico service-account key create ACCOUNT_ID --out key.json
  portico service-account key create ACCOUNT_ID --label "night job" --until 2027-06-30
  portico service-account key create ACCOUNT_ID --json

With --json the output is the key file: one object with "token_url", "client_id",
"service_account_id", "kid" and "private_key".`,
	}
	out := command.Flags().String("out", "", "New `FILE` for the key.")
	asJSON, wanted := jsonFlag(command), termFlags(command, "key")
	command.MarkFlagsMutuallyExclusive("out", "json") // either says where the key goes
	command.RunE = func(command *cobra.Command, args []string) error {
		wanted, err := wanted()
		if err != nil {
			return err
		}
		return e.withAccounts(command.Context(), func(rules *serviceaccounts.Accounts, _ config.Config) error {
			account, err := rules.Find(command.Context(), operator(), accountRef(args[0]))
			if err != nil {
				return err
			}
			return e.handOver(*out, func() (serviceaccounts.KeyFile, error) {
				key, err := rules.CreateKey(command.Context(), e.act(), operator(), accountRef(account.ID), wanted)
				return rules.File(serviceaccounts.Ref{AccountID: account.ID, ClientID: account.ClientID}, key), err
			}, *asJSON)
		})
	}
	return command
}

// handOver makes a key and gives it to whoever asked. The file comes first: a
// key that can't be written anywhere would be lost.
func (e *Env) handOver(out string, create func() (serviceaccounts.KeyFile, error), asJSON bool) error {
	if out != "" {
		return e.writeKeyFile(out, create)
	}
	made, err := create()
	if err != nil {
		return err
	}
	if asJSON {
		return e.printJSON(made)
	}
	e.printRows([]row{
		{"kid", made.KID}, {"service_account_id", made.ServiceAccountID}, {"client_id", made.ClientID},
		{"token_url", made.TokenURL},
	})
	e.printf("%s", made.PrivateKey)
	e.note("Keep the private key now: it is not shown again.")
	return nil
}

func (e *Env) writeKeyFile(out string, create func() (serviceaccounts.KeyFile, error)) error {
	file, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	made, err := create()
	if err == nil {
		_, err = file.WriteString(made.Text())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(out))
	}
	e.printf("%s\n", made.KID)
	return nil
}

func newServiceAccountKeyList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list ACCOUNT_ID", Short: "List the keys of a service account", Args: cobra.ExactArgs(1),
		Long: `List the keys of a service account, oldest first. The keys themselves are not shown.

  portico service-account key list ACCOUNT_ID
  portico service-account key list ACCOUNT_ID --json`,
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withAccounts(command.Context(), func(rules *serviceaccounts.Accounts, _ config.Config) error {
			keys, err := rules.ListKeys(command.Context(), e.act(), operator(), accountRef(args[0]))
			if err != nil {
				return err
			}
			return e.printAccountKeys(*asJSON, keys)
		})
	}
	return command
}

func (e *Env) newServiceAccountKeyStatus(verb string, want storage.KeyStatus, help string) *cobra.Command {
	command := &cobra.Command{
		Use: verb + " ACCOUNT_ID KID", Short: capital(verb) + " a key", Args: cobra.ExactArgs(2), Long: help,
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withAccounts(command.Context(), func(rules *serviceaccounts.Accounts, _ config.Config) error {
			err := rules.SetKeyStatus(command.Context(), e.act(), operator(), accountRef(args[0]), args[1], want)
			if err != nil {
				return err
			}
			e.printf("%s is %sd.\n", args[1], verb)
			return nil
		})
	}
	return command
}

func newServiceAccountKeyDelete(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "delete ACCOUNT_ID KID", Short: "Remove a key for good", Args: cobra.ExactArgs(2),
		Long: `Remove a key for good; tokens that came from it end within a second. It asks first;
scripts say --yes.

  portico service-account key delete ACCOUNT_ID KID --yes`,
	}
	yes := yesFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withAccounts(command.Context(), func(rules *serviceaccounts.Accounts, _ config.Config) error {
			if err := e.confirm(*yes, "Delete the key %s?", args[1]); err != nil {
				return err
			}
			if err := rules.DeleteKey(command.Context(), e.act(), operator(), accountRef(args[0]), args[1]); err != nil {
				return err
			}
			e.printf("%s is deleted.\n", args[1])
			return nil
		})
	}
	return command
}
