package commands

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

const userGroupHelp = `Groups of people of the whole server. Apps with the scope groups learn their
names. GROUP is the id or the name of a group, USER an id, an e-mail address or a
user name.

  portico user-group create --name Editors
  portico user-group add Editors person@example.com
  portico user-group members Editors`

func newUserGroupCommand(e *Env) *cobra.Command {
	return group("user-group", "Put people into groups of the whole server", userGroupHelp,
		newUserGroupCreate(e), newUserGroupList(e), newUserGroupMembers(e), newUserGroupAdd(e),
		newUserGroupRemove(e), newUserGroupDelete(e),
	)
}

// findGroup returns the group whose id or name it is.
func findGroup(command *cobra.Command, rules *people.People, handle string) (storage.UserGroup, error) {
	groups, err := everyName(func(page storage.PageRequest) (storage.Listing[storage.UserGroup], error) {
		return rules.ListGroups(command.Context(), handle, page)
	})
	if err != nil {
		return storage.UserGroup{}, err
	}
	for _, g := range groups {
		if g.Name == handle {
			return g, nil
		}
	}
	g, err := rules.FindGroup(command.Context(), handle)
	return g, seeAlso(err, "user-group list")
}

func newUserGroupCreate(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "create", Short: "Add a group", Args: cobra.NoArgs,
		Long: "Add a group.\n\n  portico user-group create --name Editors"}
	name := command.Flags().String("name", "", "Name, as apps learn and match it.")
	description := command.Flags().String("description", "", "What the group is for.")
	asJSON := jsonFlag(command)
	require(command, "name")
	mayBeEmpty(command, "description")
	command.RunE = func(command *cobra.Command, _ []string) error {
		return e.withPeople(command.Context(), func(rules *people.People) error {
			g, err := rules.CreateGroup(command.Context(), e.act(), people.NewGroup{Name: *name, Description: *description})
			if err != nil {
				return err
			}
			if *asJSON {
				return e.printJSON(people.NewGroupJSON(g))
			}
			e.printRows([]row{{"Id", g.ID}, {"Name", g.Name}, {"Description", g.Description}})
			return nil
		})
	}
	return command
}

func newUserGroupList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list [TEXT]", Short: "List groups", Args: cobra.MaximumNArgs(1),
		Long: "List groups by name, all or those in whose name or description TEXT is.\n\n  portico user-group list --json",
	}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withPeople(command.Context(), func(rules *people.People) error {
			groups, err := everyName(func(page storage.PageRequest) (storage.Listing[storage.UserGroup], error) {
				return rules.ListGroups(command.Context(), strings.Join(args, ""), page)
			})
			if err != nil {
				return err
			}
			return printList(e, *asJSON, "groups", "ID NAME MEMBERS DESCRIPTION", groups, people.NewGroupJSON,
				func(g storage.UserGroup) []string {
					return []string{g.ID, g.Name, strconv.Itoa(g.Members), g.Description}
				})
		})
	}
	return command
}

func newUserGroupMembers(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "members GROUP", Short: "List the people in a group", Args: cobra.ExactArgs(1),
		Long: "List the people in a group.\n\n  portico user-group members Editors"}
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withPeople(command.Context(), func(rules *people.People) error {
			g, err := findGroup(command, rules, args[0])
			if err != nil {
				return err
			}
			users, err := everyName(func(page storage.PageRequest) (storage.Listing[storage.User], error) {
				return rules.List(command.Context(), storage.UserFilter{GroupID: g.ID}, page)
			})
			if err != nil {
				return err
			}
			return e.printUsers(*asJSON, users)
		})
	}
	return command
}

// inGroup makes a command that does something with a group and a user.
func inGroup(e *Env, use, short, example string,
	do func(command *cobra.Command, rules *people.People, g storage.UserGroup, u storage.User) error) *cobra.Command {
	command := &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(2),
		Long: short + ".\n\n  portico user-group " + example}
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withUser(command.Context(), args[1], func(rules *people.People, u storage.User) error {
			g, err := findGroup(command, rules, args[0])
			if err != nil {
				return err
			}
			return do(command, rules, g, u)
		})
	}
	return command
}

func newUserGroupAdd(e *Env) *cobra.Command {
	return inGroup(e, "add GROUP USER", "Put somebody into a group", "add Editors person@example.com",
		func(command *cobra.Command, rules *people.People, g storage.UserGroup, u storage.User) error {
			return rules.AddToGroup(command.Context(), e.act(), g.ID, u.ID)
		})
}

func newUserGroupRemove(e *Env) *cobra.Command {
	return inGroup(e, "remove GROUP USER", "Take somebody out of a group", "remove Editors person@example.com",
		func(command *cobra.Command, rules *people.People, g storage.UserGroup, u storage.User) error {
			return seeAlso(rules.RemoveFromGroup(command.Context(), e.act(), g.ID, u.ID), "user-group members GROUP")
		})
}

func newUserGroupDelete(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "delete GROUP", Short: "Delete a group", Args: cobra.ExactArgs(1),
		Long: "Delete a group. The people in it stay. It asks first; scripts say --yes.\n\n" +
			"  portico user-group delete Editors --yes"}
	yes := yesFlag(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return e.withPeople(command.Context(), func(rules *people.People) error {
			g, err := findGroup(command, rules, args[0])
			if err != nil {
				return err
			}
			if err := e.confirm(*yes, "Delete the group %s, and with it what it lets people into?", g.Name); err != nil {
				return err
			}
			return rules.DeleteGroup(command.Context(), e.act(), g.ID)
		})
	}
	return command
}
