package moving

import (
	"context"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

func (j *judge) groups(ctx context.Context, waiting []numbered) error {
	names := make([]string, len(waiting))
	for i, one := range waiting {
		names[i] = one.Group.Name
	}
	here, err := j.groupsOf(ctx, names)
	if err != nil {
		return err
	}
	for _, one := range waiting {
		group, known := here[textkey.Fold(one.Group.Name)]
		if known {
			var fields []string
			if one.Group.Description != "" && one.Group.Description != group.Description {
				fields = []string{"description"}
			}
			j.report.known(one.line, one.Group.Name, &j.report.Groups, fields)
			continue
		}
		if err := j.with.CheckGroup(one.Group.Name, one.Group.Description); err != nil {
			j.report.wrong(one.line, one.Group.Name, &j.report.Groups, err)
			continue
		}
		if _, err := j.newGroup(ctx, *one.Group); err != nil {
			return err
		}
	}
	return nil
}

func (j *judge) newGroup(ctx context.Context, of Group) (storage.UserGroup, error) {
	group := storage.UserGroup{ID: j.with.Ambient.UID(), Name: of.Name, Description: of.Description, CreatedAt: j.act.At}
	j.report.Groups.New++
	return group, j.in.AddGroup(ctx, group)
}

// groupsOf returns the groups that are here, by their folded names.
func (j *judge) groupsOf(ctx context.Context, names []string) (map[string]storage.UserGroup, error) {
	found, err := j.in.FindArrivedGroups(ctx, names)
	here := map[string]storage.UserGroup{}
	for _, group := range found {
		here[textkey.Fold(group.Name)] = group
	}
	return here, err
}
