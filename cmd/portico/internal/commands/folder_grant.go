package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/level"
	"github.com/portico-id/portico/storage"
)

const grantHelp = `What people and groups may do in a folder and everything below it. What is given
in several places adds up: the highest level counts.

  view         see and list
  download     read files
  publish      upload files
  collaborate  create folders, add versions, rename
  edit         move, hide and restore; see what is hidden
  control      give rights

  portico grant set --project PROJECT --folder FOLDER --user person@example.com --level edit
  portico grant set --project PROJECT --folder FOLDER --group GROUP --level view
  portico grant list --project PROJECT --folder FOLDER
  portico grant explain --project PROJECT --folder FOLDER --user person@example.com

FOLDER is an id as the API has it, urn:portico:fs.folder:co.…`

func newGrantCommand(e *Env) *cobra.Command {
	return group("grant", "Say who may do what in a folder", grantHelp,
		newGrantSet(e), newGrantRemove(e), newGrantList(e), newGrantExplain(e))
}

// folderFlags are --project and --folder.
type folderFlags struct{ project, folder string }

func newFolderFlags(command *cobra.Command) *folderFlags {
	var f folderFlags
	command.Flags().StringVar(&f.project, "project", "", "`PROJECT` by its id.")
	command.Flags().StringVar(&f.folder, "folder", "", "`FOLDER` by its id.")
	require(command, "project", "folder")
	return &f
}

// granteeFlags are --user and --group, of which one is to be given.
type granteeFlags struct{ user, group string }

func newGranteeFlags(command *cobra.Command) *granteeFlags {
	var g granteeFlags
	command.Flags().StringVar(&g.user, "user", "",
		"`USER` by id (a service account's, too) or by an e-mail address that was verified.")
	command.Flags().StringVar(&g.group, "group", "", "`GROUP` of the project's hub, by id or name.")
	command.MarkFlagsOneRequired("user", "group")
	command.MarkFlagsMutuallyExclusive("user", "group")
	return &g
}

// grantOf finds the folder and the user or group that a grant is about.
func grantOf(ctx context.Context, rules *administration.Rules, f *folderFlags,
	g *granteeFlags) (grant storage.FolderGrant, err error) {
	if grant.FolderID, err = rules.FolderID(f.folder); err != nil {
		return grant, err
	}
	project, err := rules.FindProject(ctx, f.project)
	if err != nil {
		return grant, err
	}
	if g.user != "" {
		grant.UserID, err = rules.Person(ctx, g.user)
		return grant, err
	}
	found, err := rules.FindGroup(ctx, project.HubID, g.group)
	grant.GroupID = found.ID
	return grant, err
}

func newGrantSet(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "set", Short: "Give somebody, or a group, a level in a folder", Args: cobra.NoArgs,
		Long: `Give somebody, or a group, a level in a folder and everything below it, or change
the level they were given there. A person becomes a member of the hub.

  portico grant set --project PROJECT --folder FOLDER --user person@example.com --level edit
  portico grant set --project PROJECT --folder FOLDER --group GROUP --level view --json

With --json the output is one object; its "id" is the user's or group's.`,
	}
	folder, grantee := newFolderFlags(command), newGranteeFlags(command)
	named := command.Flags().String("level", "", "`LEVEL`: view, download, publish, collaborate, edit or control.")
	asJSON := jsonFlag(command)
	require(command, "level")
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.withData(ctx, func(rules *administration.Rules) error {
			wanted, err := level.Parse(*named, administration.FieldLevel)
			if err != nil {
				return err
			}
			grant, err := grantOf(ctx, rules, folder, grantee)
			if err != nil {
				return err
			}
			grant.Level = wanted
			if err := rules.SetGrant(ctx, e.change(), folder.project, grant); err != nil {
				return err
			}
			return e.printGrant(*asJSON, rules, grant)
		})
	}
	return command
}

func newGrantRemove(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "remove", Short: "Take a level in a folder back", Args: cobra.NoArgs,
		Long: `Take back what somebody, or a group, was given in a folder. What they have through
other folders, groups or roles stays.

  portico grant remove --project PROJECT --folder FOLDER --user person@example.com`,
	}
	folder, grantee := newFolderFlags(command), newGranteeFlags(command)
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.withData(ctx, func(rules *administration.Rules) error {
			grant, err := grantOf(ctx, rules, folder, grantee)
			if err != nil {
				return err
			}
			if err := rules.RemoveGrant(ctx, e.change(), folder.project, grant); err != nil {
				return err
			}
			return e.printDone(*asJSON, grant.UserID+grant.GroupID, "has lost what was given in this folder.")
		})
	}
	return command
}

func newGrantList(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "list", Short: "List what was given in a folder", Args: cobra.NoArgs,
		Long: `List what was given in this very folder, not above it.

  portico grant list --project PROJECT --folder FOLDER
  portico grant list --project PROJECT --folder FOLDER --json`,
	}
	folder, asJSON := newFolderFlags(command), jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.withData(ctx, func(rules *administration.Rules) error {
			id, err := rules.FolderID(folder.folder)
			if err != nil {
				return err
			}
			grants, err := rules.ListGrants(ctx, folder.project, id)
			if err != nil {
				return err
			}
			return e.printGrants(ctx, *asJSON, rules, grants)
		})
	}
	return command
}

func newGrantExplain(e *Env) *cobra.Command {
	command := &cobra.Command{
		Use: "explain", Short: "Say what somebody may do in a folder, and why", Args: cobra.NoArgs,
		Long: `Say what somebody may do in a folder, and what that follows from.

  portico grant explain --project PROJECT --folder FOLDER --user person@example.com`,
	}
	folder, user := newFolderFlags(command), userIDFlag(command)
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		ctx := command.Context()
		return e.withData(ctx, func(rules *administration.Rules) error {
			grant, err := grantOf(ctx, rules, folder, &granteeFlags{user: *user})
			if err != nil {
				return err
			}
			effective, reasons, err := rules.Explain(ctx, folder.project, grant.FolderID, grant.UserID)
			if err != nil {
				return err
			}
			return e.printReasons(*asJSON, rules, grant.UserID, effective, reasons)
		})
	}
	return command
}
