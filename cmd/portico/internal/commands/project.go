package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/storage"
)

const projectHelp = `Trees of folders in a hub. A new project has the folders "Project Files" and
"Plans".

  portico project create --hub HUB --name "New Tower"
  portico member add --project PROJECT --user person@example.com --role member
  portico grant set --project PROJECT --folder FOLDER --user person@example.com --level edit

Every command works beside a running server, which acts on it at once.`

func newProjectCommand(e *Env) *cobra.Command {
	active := func(active bool) projectAct {
		return func(rules *administration.Rules, ctx context.Context, id string) (storage.Project, error) {
			return rules.SetProjectActive(ctx, e.change(), id, active)
		}
	}
	archived := func(archived bool) projectAct {
		return func(rules *administration.Rules, ctx context.Context, id string) (storage.Project, error) {
			return rules.ArchiveProject(ctx, e.change(), id, archived)
		}
	}
	return group("project", "Set up projects", projectHelp,
		newProjectCreate(e), newProjectList(e),
		e.newProjectAct("show", `Show a project.

  portico project show PROJECT
  portico project show PROJECT --json`, (*administration.Rules).FindProject),
		e.newProjectAct("activate", `Bring a deactivated project back.

  portico project activate PROJECT`, active(true)),
		e.newProjectAct("deactivate", `Close a project: it leaves the lists, and who asks for it is told that it is not
active. Nothing is removed.

  portico project deactivate PROJECT`, active(false)),
		e.newProjectAct("archive", `Keep a project as it is: it can be read, and every change is refused.

  portico project archive PROJECT`, archived(true)),
		withAlias("reopen", e.newProjectAct("restore", `Allow changes in an archived project again.

  portico project restore PROJECT`, archived(false))),
		newProjectLimit(e), newProjectPurge(e),
	)
}

func withAlias(alias string, command *cobra.Command) *cobra.Command {
	command.Aliases = []string{alias}
	return command
}

func newProjectCreate(e *Env) *cobra.Command {
	var wanted administration.NewProject
	command := &cobra.Command{
		Use: "create", Short: "Add a project to a hub", Args: cobra.NoArgs,
		Long: `Add a project to a hub. Its two first folders are there when the command returns.
Until members are added, only the hub's administrators and applications see it.

  portico project create --hub HUB --name "New Tower"
  portico project create --hub HUB --name "New Tower" --json

With --json the output is one object; its "id" is the project's, and "root_folder"
the hidden folder at the very top.`,
	}
	hub := hubFlag(command)
	command.Flags().StringVar(&wanted.Name, "name", "", "Name, 1 to 255 characters.")
	asJSON := jsonFlag(command)
	require(command, "name")
	command.RunE = func(command *cobra.Command, _ []string) error {
		wanted.HubID = *hub
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			project, err := rules.CreateProject(command.Context(), e.change(), wanted)
			if err != nil {
				return err
			}
			return e.printProject(*asJSON, rules, project)
		})
	}
	return command
}

func newProjectList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List the projects of a hub", Args: cobra.NoArgs,
		Long: `List the projects of a hub by name, inactive ones too.

  portico project list --hub HUB
  portico project list --hub HUB --json`,
	}
	hub, asJSON := hubFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			projects, err := rules.ListProjects(command.Context(), *hub)
			if err != nil {
				return err
			}
			return e.printProjects(*asJSON, rules, projects)
		})
	}
	return command
}

// projectAct does something with a project and returns it.
type projectAct func(*administration.Rules, context.Context, string) (storage.Project, error)

func (e *Env) newProjectAct(verb, help string, act projectAct) *cobra.Command {
	command := &cobra.Command{Use: verb + " PROJECT", Short: capital(verb) + " a project", Long: help,
		Args: cobra.ExactArgs(1)}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			project, err := act(rules, command.Context(), args[0])
			if err != nil {
				return err
			}
			return e.printProject(*asJSON, rules, project)
		})
	}
	return command
}
