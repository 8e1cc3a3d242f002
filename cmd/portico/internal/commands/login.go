package commands

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/transfer"
)

const loginHelp = `Sign in with the browser, on this machine or another one, so that portico upload and
portico download need no secret:

  portico client create --name "Command line" --type native --profile standard --devices \
    --scope "data:read data:write data:create"
  portico login --server https://id.example.com --client CLIENT_ID
  portico upload report.pdf --project PROJECT --folder FOLDER

The command shows an address and a code: open the one, sign in, and type the
other. What it gets is kept in the file that the variable LOGIN_FILE names, else
in portico/login.json in the folder of your settings; you alone can read it, and
it is renewed as needed. portico logout ends it, and so does the page of your
account that lists apps with access. With --dpop-key it is bound to that key
(RFC 9449), which the other commands need then, too.`

func newLoginCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "login", Short: "Sign in with the browser", Long: loginHelp, Args: cobra.NoArgs}
	flags := command.Flags()
	server := flags.String("server", "", "`URL` of the server. Default: PORTICO_BASE_URL.")
	client := flags.String("client", "", "`CLIENT_ID` of an app that is registered for devices.")
	scopes := flags.String("scope", transfer.UploadScope, "`SCOPES` to ask for, separated by spaces.")
	dpopKey := flags.String("dpop-key", "", dpopKeyUsage)
	require(command, "client")
	command.RunE = func(command *cobra.Command, _ []string) error {
		if err := defaultServer(e, server); err != nil {
			return err
		}
		file, err := loginFile(e)
		if err != nil {
			return err
		}
		key, err := proofKey(*dpopKey)
		if err != nil {
			return err
		}
		signedIn, err := transfer.SignIn(command.Context(), transfer.Options{Server: *server, Key: key, Ambient: e.Ambient},
			*client, *scopes, func(d transfer.Device) { e.note("Open %s and type the code %s", d.URI, d.UserCode) })
		if err != nil {
			return err
		}
		left, err := signedIn.Replace(command.Context(), file)
		if err != nil {
			return err
		}
		e.note("You are signed in.")
		if left != "" {
			e.note("The sign-in before could not be ended: %s/account/apps takes its access back.", left)
		}
		return nil
	}
	return command
}

func newLogoutCommand(e *Env) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "End what portico login began", Args: cobra.NoArgs,
		Long: "End what portico login began, at the server and on this machine.\n\n  portico logout",
		RunE: func(command *cobra.Command, _ []string) error {
			file, err := loginFile(e)
			if err != nil {
				return err
			}
			s, found, err := transfer.ReadSignedIn(file)
			if err == nil && !found {
				err = errors.New("nobody is signed in")
			}
			if err != nil {
				return err
			}
			if err := transfer.SignOut(command.Context(), transfer.Options{Server: s.Server}, s); err != nil {
				return fmt.Errorf("%w. The sign-in goes on: try again or, where the server is gone for good, remove %s", err, file)
			}
			return os.Remove(file)
		},
	}
}

// loginFile is where a sign-in is kept.
func loginFile(e *Env) (string, error) {
	if file := variable(e, "LOGIN_FILE"); file != "" {
		return file, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("the sign-in of portico login has no place: name a file by the variable LOGIN_FILE (%w)", err)
	}
	return filepath.Join(dir, "portico", "login.json"), nil
}
