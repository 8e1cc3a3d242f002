package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/fault"
)

// Exit codes.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

const rootHelp = `Portico is an OAuth 2.0 and OpenID Connect provider in one binary.

  portico serve            run the server
  portico user create      add a person
  portico client create    register an application
  portico hub create       set up a hub for projects and files

Settings come from a YAML file (--config), the environment (PORTICO_*) and the
flags of portico serve, each overriding the one before; portico serve --help
lists them all. Every command works beside a running server on the same
database, and what it changes acts there within a second.

Exit codes: 0 success, 1 failure, 2 a slip in the command line.`

// Execute runs the command line and returns the exit code.
func Execute(ctx context.Context, e *Env, args []string, serve Serve) int {
	printed := &output{to: e.Stdout}
	e.Stdout = printed
	root := newRootCommand(e, func(ctx context.Context, e *Env, c config.Config, demo bool) error {
		e.Stdout = printed.to // whether it is a terminal counts there, and a server outlives it
		return serve(ctx, e, c, demo)
	})
	var unknown error
	refuseUnknownHelp(root, &unknown)
	refuseUnknownShell(root)
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if err = cmp.Or(err, unknown); err == nil {
		err = printed.failed
	}
	if err == nil {
		return exitOK
	}
	e.note("%s: %s", command.CommandPath(), ended(ctx, err))
	var slip *usageError
	if printed.failed != nil || e.inside && !errors.As(err, &slip) {
		return exitFailure
	}
	_, _ = fmt.Fprintf(e.Stderr, "See %s --help\n", command.CommandPath())
	return exitUsage
}

// ended describes why a command ended. What was told to stop is not said to have met a database
// that is away.
func ended(ctx context.Context, err error) string {
	told := context.Cause(ctx)
	switch {
	case told == nil:
		return describe(err)
	case fault.Is(err, fault.Unavailable):
		return told.Error()
	}
	return strings.ReplaceAll(describe(err), context.Canceled.Error(), told.Error())
}

func newRootCommand(e *Env, serve Serve) *cobra.Command {
	root := &cobra.Command{
		Use:           "portico",
		Short:         "OAuth 2.0 and OpenID Connect provider",
		Long:          rootHelp,
		Version:       version.Number,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.CompletionOptions.HiddenDefaultCmd = false
	for _, s := range sharedSettings() {
		addSetting(root.PersistentFlags(), s)
	}
	root.AddCommand(
		newServeCommand(e, serve), newMigrateCommand(e), newUserCommand(e), newUserGroupCommand(e), newConsentCommand(e),
		newSCIMCommand(e), newRegistrationCommand(e),
		newClientCommand(e), newKeyCommand(e), newAuditCommand(e), newMailCommand(e),
		newBacklogCommand(e), newUsageCommand(e), newDoctorCommand(e), newBrandCommand(e),
		newImportCommand(e), newPolicyCommand(e), newUpstreamCommand(e), newDirectoryCommand(e), newResourceCommand(e),
		newServiceAccountCommand(e), newHubCommand(e), newProjectCommand(e), newMemberCommand(e), newHubGroupCommand(e),
		newReservationCommand(e), newEventCommand(e), newWebhookCommand(e),
		newGrantCommand(e), newAppCommand(e), newTwinCommand(e), newDemoCommand(e), newVerifyCommand(e),
		newBackupCommand(e), newRestoreCommand(e), newDrillCommand(e),
		newInfectedCommand(e), newLoginCommand(e), newLogoutCommand(e), newUploadCommand(e), newDownloadCommand(e),
		newTransmittalCommand(e),
		newHealthcheckCommand(e), newRoutesCommand(e), newVersionCommand(e),
	)
	watch(e, root)
	return root
}

// refuseUnknownHelp makes help about a command that is not there a slip, and no success, also
// by --help, of which it notes what is unknown.
func refuseUnknownHelp(root *cobra.Command, unknown *error) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(command *cobra.Command, args []string) {
		about, rest, err := command.Find(command.Flags().Args()) // of "user --help create", too
		if err == nil && about.HasSubCommands() && len(rest) > 0 {
			err = usagef("unknown command %q", rest[0])
		}
		if *unknown = err; err == nil {
			show(about, args)
		}
	})
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		panic(err) // it was just made
	}
	help.Args = func(_ *cobra.Command, args []string) error {
		_, rest, err := root.Find(args)
		if err == nil && len(rest) > 0 {
			err = usagef("unknown command %q", strings.Join(args, " "))
		}
		return err
	}
}

// refuseUnknownShell makes a shell that is not known a slip: help would be written into its
// settings.
func refuseUnknownShell(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // it was just made
	}
	// A command that does nothing looks at none of its arguments.
	completion.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
}

// watch makes every command note, before its own work, that it has begun and
// which settings were given as flags.
func watch(e *Env, command *cobra.Command) {
	for _, child := range command.Commands() {
		watch(e, child)
	}
	run, fits := command.RunE, command.Args
	if run == nil {
		return
	}
	command.Args = func(command *cobra.Command, args []string) error {
		if fits(command, args) == nil {
			return nil
		}
		return wants(command, args)
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		e.inside, e.flags = true, map[string]string{}
		command.Flags().Visit(func(f *pflag.Flag) {
			if _, ok := f.Annotations[settingAnnotation]; ok {
				e.flags[f.Name] = f.Value.String()
			}
		})
		if err := refuseEmpty(command); err != nil {
			return err
		}
		return run(command, args)
	}
}

func newVersionCommand(e *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the commit that it was built from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e.printf("portico %s (commit %s)\n", version.Number, version.Commit())
			return nil
		},
	}
}

func newRoutesCommand(e *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "routes",
		Short: "Print every path with its methods, the scope each needs, and which sites may read it",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			e.printf("%s", e.Routes)
			return nil
		},
	}
}
