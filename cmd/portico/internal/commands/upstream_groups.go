package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/storage"
)

// noneFlag is for whoever wants no groups: who names none may have wanted to see them.
func noneFlag(command *cobra.Command) *bool {
	return command.Flags().Bool("none", false, "No group of it is one here.")
}

// groupsHere reads arguments of the form THERE=HERE. Either may have an = in it: where it
// is cut says at.
func groupsHere(ctx context.Context, p *wiring.Parts, args []string, none bool,
	at func(text, mark string) int) (all []storage.UpstreamGroup, err error) {
	if none == (len(args) > 0) {
		return nil, usagef("name groups as THERE=HERE, or say --none: what was said before goes")
	}
	for _, arg := range args {
		cut := at(arg, "=")
		if cut < 1 {
			return nil, usagef("%q is not of the form THERE=HERE", arg)
		}
		here, err := p.Store.FindUserGroupByName(ctx, arg[cut+1:])
		if err != nil {
			return nil, seeAlso(err, "user-group list")
		}
		all = append(all, storage.UpstreamGroup{External: arg[:cut], GroupID: here.ID})
	}
	return all, nil
}
