package commands

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/demotree"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/storage"
)

const demoHelp = `Content to try Portico out with. A small hub, with people of every role, comes with
portico serve --demo; a tree of any size with portico demo load.

  portico demo load --folders 1000 --items 100000
  portico demo load --project PROJECT --folders 100 --items 1000 --seed 7`

func newDemoCommand(e *Env) *cobra.Command {
	return group("demo", "Load content to try Portico out with", demoHelp, newDemoLoad(e))
}

// load is what portico demo load was asked for.
type load struct {
	project        string
	folders, items int
	seed           uint64
}

func newDemoLoad(e *Env) *cobra.Command {
	var l load
	command := &cobra.Command{
		Use: "load", Short: "Load a tree of folders and items of any size", Args: cobra.NoArgs,
		Long: `Load a tree of folders and items into "Project Files" of a project, all or nothing.
Without --project a hub and a project are made for it. The same seed makes the same
names and ids, so that a seed can be loaded once. Items have one to four versions,
without bytes. A million items take a minute or two.

  portico demo load --folders 1000 --items 100000
  portico demo load --project PROJECT --folders 100 --items 1000 --seed 7 --json

With --json the output is one object; its "id" is the project's.`,
	}
	flags := command.Flags()
	flags.StringVar(&l.project, "project", "", "`PROJECT` to load into. Default: a new one in a new hub.")
	flags.IntVar(&l.folders, "folders", 1000, "How many folders, at least 1.")
	flags.IntVar(&l.items, "items", 10000, "How many items.")
	flags.Uint64Var(&l.seed, "seed", 1, "Number that names and ids follow from.")
	asJSON := jsonFlag(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		if l.folders < 1 || l.items < 0 {
			return usagef("--folders must be at least 1, and --items at least 0")
		}
		return e.loadDemo(command.Context(), l, *asJSON)
	}
	return command
}

func (e *Env) loadDemo(ctx context.Context, l load, asJSON bool) error {
	return e.withData(ctx, func(rules *administration.Rules) error {
		project, err := e.demoProject(ctx, rules, l.project)
		if err != nil {
			return err
		}
		files, err := rules.FindTopFolder(ctx, project.ID, storage.FolderFiles)
		if err != nil {
			return err
		}
		bar := e.bar(int64(l.folders+l.items), nil)
		change, start := e.change(), e.Ambient.Now()
		large := demotree.Large{Folders: l.folders, Items: l.items, Seed: l.seed, At: change.At,
			Step: func(done int) { bar.step(int64(done)) }}
		err = rules.LoadTree(ctx, change, project.ID, files.ID, large.Tree())
		bar.end()
		if err != nil {
			return err
		}
		e.note("%d folders and %d items in %s.", l.folders, l.items, e.Ambient.Now().Sub(start).Round(time.Millisecond))
		return e.printProject(asJSON, rules, project)
	})
}

// demoProject finds the project, or makes one.
func (e *Env) demoProject(ctx context.Context, rules *administration.Rules, id string) (storage.Project, error) {
	if id != "" {
		return rules.FindProject(ctx, id)
	}
	hub, err := rules.CreateHub(ctx, e.change(), administration.NewHub{Name: "Large demo"})
	if err != nil {
		return storage.Project{}, err
	}
	return rules.CreateProject(ctx, e.change(), administration.NewProject{HubID: hub.ID, Name: "Large demo"})
}
