package batch

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/relations"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func (h *Handler) commandKinds() map[string]commandKind {
	return map[string]commandKind{
		"CheckPermission": {"", h.checkPermission},
		"ListItems":       {shape.TypeItems, h.listItems},
		"ListRefs":        {shape.TypeVersions, h.listRefs},
	}
}

// actions are what can be asked for, each with the level that it takes.
func actions() map[string]storage.Level {
	return map[string]storage.Level{
		"read": storage.LevelView, "view": storage.LevelView, "download": storage.LevelDownload,
		"upload":      storage.LevelPublish,
		"collaborate": storage.LevelCollaborate, "create": storage.LevelCollaborate, "write": storage.LevelCollaborate,
		"updateMetaData": storage.LevelCollaborate, "delete": storage.LevelEdit, "share": storage.LevelControl,
		"admin": storage.LevelControl,
	}
}

type permissionCheck struct {
	Required    []string            `json:"requiredActions"`
	Permissions []checkedPermission `json:"permissions"`
}

// checkedPermission says what the caller may do to a resource, and whether that
// is everything that was asked for.
type checkedPermission struct {
	jsonapi.Identifier
	Details    map[string]bool `json:"details"`
	Permission bool            `json:"permission"`
}

// checkPermission says what the caller may do. What they can't see is like what
// does not exist: nothing can be done to it.
func (h *Handler) checkPermission(_ context.Context, c command) (commandDone, error) {
	check := permissionCheck{Required: requiredActions(c.data), Permissions: []checkedPermission{}}
	if err := c.in.Err(); err != nil {
		return commandDone{}, err
	}
	identifiers := make([]jsonapi.Identifier, len(c.ends))
	for i, end := range c.ends {
		identifiers[i] = h.tell.Identifier(end)
		level := storage.LevelNone
		if access.MayReadFound(c.Place, c.found[i], identifiers[i].Type) == nil {
			level = access.At(c.Place, c.found[i]).Standing.Level()
		}
		p := checkedPermission{identifiers[i], map[string]bool{}, true}
		for _, action := range check.Required {
			p.Details[action] = level >= actions()[action]
			p.Permission = p.Permission && p.Details[action]
		}
		check.Permissions = append(check.Permissions, p)
	}
	return commandDone{data: check, resources: identifiers}, nil
}

func requiredActions(data jsonapi.Value) []string {
	required := data.Member("requiredActions").Required()
	all := []string{}
	for _, v := range required.List() {
		action := v.Text()
		if _, known := actions()[action]; action != "" && !known {
			v.Refuse(fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "The actions are %s.",
				strings.Join(slices.Sorted(maps.Keys(actions())), ", ")))
		}
		if !slices.Contains(all, action) {
			all = append(all, action)
		}
	}
	if required.Given() && len(all) == 0 {
		required.Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid, "Name at least one action."))
	}
	return all
}

// itemIdentifier is an item, whole.
type itemIdentifier struct {
	jsonapi.Identifier
	Meta jsonapi.Resource `json:"meta"`
}

// listItems shows items, with their tips included.
func (h *Handler) listItems(ctx context.Context, c command) (commandDone, error) {
	withPath := c.data.Member(shape.FlagPath).OptionalFlag()
	if err := c.in.Err(); err != nil {
		return commandDone{}, err
	}
	if err := c.readable(); err != nil {
		return commandDone{}, err
	}
	var stamps []storage.Stamp
	var holders []string
	for _, f := range c.found {
		stamps, holders = append(stamps, f.Item.Item.Stamp), append(holders, f.Item.Item.ReservedBy)
	}
	shown, err := h.tell.Show(ctx, stamps, holders...)
	if err != nil {
		return commandDone{}, err
	}
	paths := map[string]string{} // by folder
	items := make([]itemIdentifier, len(c.found))
	for i, f := range c.found {
		path, known := paths[f.Folder.ID]
		if withPath != nil && *withPath && !known {
			if path, err = h.find.PathInProject(ctx, access.Spot{Place: access.At(c.Place, f), Folder: f.Folder}); err != nil {
				return commandDone{}, err
			}
			paths[f.Folder.ID] = path
		}
		items[i] = itemIdentifier{h.tell.Identifier(c.ends[i]), shown.Item(&f.Item.Item, path)}
	}
	tips, err := h.ends.ShowTips(ctx, c.Place, onceEach(c.ends, c.found))
	return commandDone{resources: items, included: tips}, err
}

// onceEach leaves out what was named before.
func onceEach(ends []storage.End, found []storage.Found) []storage.Found {
	seen := map[storage.End]bool{}
	var each []storage.Found
	for i, f := range found {
		if !seen[ends[i]] {
			seen[ends[i]] = true
			each = append(each, f)
		}
	}
	return each
}

// maxListedRefs bounds what one command answers with.
const (
	maxListedRefs = 2000
	atResources   = "/data/relationships/resources/data"
)

// listRefs shows the references of versions, with both ends and the items of
// versions included.
func (h *Handler) listRefs(ctx context.Context, c command) (commandDone, error) {
	if err := c.readable(); err != nil {
		return commandDone{}, err
	}
	refs := []relations.RefIdentifier{}
	ends, found := slices.Clone(c.ends), slices.Clone(c.found)
	for _, f := range onceEach(c.ends, c.found) {
		end := storage.End{ItemID: f.Version.ItemID, Version: f.Version.Number}
		of := relations.NewOwner(access.Spot{Place: access.At(c.Place, f), Folder: f.Folder}, end)
		for page := (storage.DataPage{Limit: storage.MaxPage}); ; {
			some, next, err := h.ends.Refs(ctx, of, storage.RefQuery{}, page, func(storage.Found) bool { return true })
			if err != nil {
				return commandDone{}, err
			}
			for _, ref := range some {
				refs = append(refs, relations.ShowRef(h.tell.Shape, ref))
				ends, found = append(ends, ref.OtherEnd), append(found, ref.Found)
			}
			if len(refs) > maxListedRefs {
				return commandDone{}, fault.Newf(fault.Invalid, jsonapi.ReasonInvalid,
					"There are more than %d references: name fewer versions at once.", maxListedRefs).At(atResources)
			}
			if page.After = next; next == "" {
				break
			}
		}
	}
	for _, f := range found {
		if f.Version.ItemID != "" {
			f.Version = storage.Version{}
			ends, found = append(ends, storage.End{ItemID: f.Item.Item.ID}), append(found, f)
		}
	}
	included, err := h.ends.Show(ctx, c.Place, onceEach(ends, found))
	return commandDone{resources: refs, included: included}, err
}
