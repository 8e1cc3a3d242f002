package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/storage"
)

const hubGroupHelp = `Sets of members of a hub. What a group is given, everyone in it has.

  portico group create --hub HUB --name "Site managers"
  portico group add --hub HUB --group "Site managers" --user person@example.com
  portico grant set --project PROJECT --folder FOLDER --group GROUP --level publish

GROUP is an id or a name.`

func newHubGroupCommand(e *Env) *cobra.Command {
	return group("group", "Set up groups of members", hubGroupHelp,
		newGroupCreate(e), newGroupList(e), newGroupDelete(e), newGroupMembers(e),
		e.newGroupPerson("add", "Put somebody into a group", `Put somebody into a group; they become a member of the hub.

  portico group add --hub HUB --group "Site managers" --user person@example.com`,
			"is in the group.", (*administration.Rules).AddToGroup),
		e.newGroupPerson("remove", "Take somebody out of a group",
			`Take somebody out of a group, and with it what the group was given.

  portico group remove --hub HUB --group "Site managers" --user person@example.com`,
			"is no longer in the group.", (*administration.Rules).RemoveFromGroup),
	)
}

func newGroupCreate(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "create", Short: "Add a group to a hub", Args: cobra.NoArgs,
		Long: `Add a group without members to a hub.

  portico group create --hub HUB --name "Site managers" --json

With --json the output is one object; its "id" is the group's.`,
	}
	hub := hubFlag(command)
	name := command.Flags().String("name", "", "Name, unique in the hub.")
	asJSON := jsonFlag(command)
	require(command, "name")
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			g, err := rules.CreateGroup(command.Context(), e.change(), *hub, *name)
			if err != nil {
				return err
			}
			return e.printGroup(*asJSON, g)
		})
	}
	return command
}

func newGroupList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List the groups of a hub", Args: cobra.NoArgs,
		Long: `List the groups of a hub by name.

  portico group list --hub HUB
  portico group list --hub HUB --json`,
	}
	hub, asJSON := hubFlag(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			groups, err := rules.ListGroups(command.Context(), *hub)
			if err != nil {
				return err
			}
			return e.printGroups(*asJSON, groups)
		})
	}
	return command
}

// groupCommand adds --hub and --group to a command, and finds the group around
// its work.
func (e *Env) groupCommand(command *cobra.Command) func(work func(*administration.Rules, storage.Group) error) error {
	hub := hubFlag(command)
	handle := command.Flags().String("group", "", "`GROUP` by id or name.")
	require(command, "group")
	return func(work func(*administration.Rules, storage.Group) error) error {
		return e.withData(command.Context(), func(rules *administration.Rules) error {
			g, err := rules.FindGroup(command.Context(), *hub, *handle)
			if err != nil {
				return err
			}
			return work(rules, g)
		})
	}
}

func newGroupDelete(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "delete", Short: "Remove a group", Args: cobra.NoArgs,
		Long: `Remove a group, and with it what it was given. It asks first; scripts say --yes.

  portico group delete --hub HUB --group "Site managers" --yes`,
	}
	found, yes := e.groupCommand(command), yesFlag(command)
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return found(func(rules *administration.Rules, g storage.Group) error {
			if err := e.confirm(*yes, "Delete the group %s and what it was given?", g.Name); err != nil {
				return err
			}
			if err := rules.DeleteGroup(command.Context(), e.change(), g); err != nil {
				return err
			}
			return e.printDone(*asJSON, g.ID, "is deleted.")
		})
	}
	return command
}

func newGroupMembers(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "members", Short: "List who is in a group", Args: cobra.NoArgs,
		Long: `List who is in a group.

  portico group members --hub HUB --group "Site managers"`,
	}
	found, asJSON := e.groupCommand(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return found(func(rules *administration.Rules, g storage.Group) error {
			ids, err := rules.ListGroupMembers(command.Context(), g)
			if err != nil {
				return err
			}
			return e.printPeople(command.Context(), *asJSON, rules, ids)
		})
	}
	return command
}

func (e *Env) newGroupPerson(verb, short, help, done string,
	act func(*administration.Rules, context.Context, storage.Change, storage.Group, string) error,
) *cobra.Command {
	command := &cobra.Command{Use: verb, Short: short, Long: help, Args: cobra.NoArgs}
	found, user := e.groupCommand(command), userIDFlag(command)
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		return found(func(rules *administration.Rules, g storage.Group) error {
			id, err := rules.Person(command.Context(), *user)
			if err != nil {
				return err
			}
			if err := act(rules, command.Context(), e.change(), g, id); err != nil {
				return err
			}
			return e.printDone(*asJSON, id, done)
		})
	}
	return command
}
