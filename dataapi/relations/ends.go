package relations

import (
	"context"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// EndStore is what Ends reads.
type EndStore interface {
	ListRefs(ctx context.Context, projectID string, end storage.End, query storage.RefQuery,
		page storage.PageRequest) ([]storage.Ref, string, error)
	FindEnds(ctx context.Context, caller storage.Caller, projectID string, ends []storage.End) (storage.Place,
		[]storage.Found, error)
}

// Ends is about things that references lead to: folders, items and versions,
// several at once.
type Ends struct {
	Store EndStore
	Tell  shape.Teller
}

// Owner is a thing with references or links, and how the caller stands there.
type Owner struct {
	access.Spot
	End     storage.End
	address string // of the resource
}

// NewOwner is a thing that was found in a folder, to ask for its references.
func NewOwner(at access.Spot, end storage.End) Owner { return Owner{Spot: at, End: end} }

// extensionOf returns the extension of the resource.
func extensionOf(f storage.Found) storage.Extension {
	switch {
	case f.Version.ItemID != "":
		return f.Version.Extension
	case f.Item.Item.ID != "":
		return f.Item.Item.Extension
	}
	return f.Folder.Extension
}

// SeenRef is a reference whose other end the caller can see.
type SeenRef struct {
	storage.Ref
	OtherEnd storage.End
	outward  bool // runs from the end asked for
	Found    storage.Found
}

// Refs returns a page of the references of a thing whose other end the caller
// can see and that are to be kept, and where the next page begins. The store
// knows no rights, so it is asked until the page is full, and once more until it
// is known that there is something left to see.
func (e Ends) Refs(ctx context.Context, at Owner, query storage.RefQuery, page storage.DataPage,
	keep func(storage.Found) bool) ([]SeenRef, string, error) {
	pass := 0 // how many come before the page
	if page.After == "" {
		pass = page.Number * page.Limit
	}
	var shown []SeenRef
	for after := page.After; ; {
		room := storage.MaxPage
		full := len(shown) == page.Limit
		if !full {
			room = min(room, pass+page.Limit-len(shown))
		}
		refs, next, err := e.Store.ListRefs(ctx, at.Project.ID, at.End, query, storage.PageRequest{After: after, Limit: room})
		if err != nil {
			return nil, "", err
		}
		seen, err := e.seen(ctx, at, refs, keep)
		if err != nil || full && len(seen) > 0 {
			return shown, after, err
		}
		passed := min(pass, len(seen))
		pass -= passed
		shown = append(shown, seen[passed:]...)
		if next == "" {
			return shown, "", nil
		}
		after = next
	}
}

// seen keeps the references whose other end the caller can see.
func (e Ends) seen(ctx context.Context, at Owner, refs []storage.Ref,
	keep func(storage.Found) bool) ([]SeenRef, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	ends := make([]storage.End, len(refs))
	for i, ref := range refs {
		ends[i], _ = ref.Other(at.End)
	}
	place, found, err := e.Store.FindEnds(ctx, at.Standing.Caller, at.Project.ID, ends)
	if err != nil {
		return nil, err
	}
	var seen []SeenRef
	for i, ref := range refs {
		if access.Shows(place, found[i]) && keep(found[i]) {
			_, outward := ref.Other(at.End)
			seen = append(seen, SeenRef{ref, ends[i], outward, found[i]})
		}
	}
	return seen, nil
}

// showOthers shows the resources at the other ends, each once.
func (e Ends) showOthers(ctx context.Context, place storage.Place, refs []SeenRef) ([]jsonapi.Resource, error) {
	found := make([]storage.Found, 0, len(refs))
	seen := map[storage.End]bool{}
	for _, ref := range refs {
		if !seen[ref.OtherEnd] {
			seen[ref.OtherEnd] = true
			found = append(found, ref.Found)
		}
	}
	return e.Show(ctx, place, found)
}

// Show shows resources that were found together.
func (e Ends) Show(ctx context.Context, place storage.Place, found []storage.Found) ([]jsonapi.Resource, error) {
	var stamps []storage.Stamp
	var holders []string
	for _, f := range found {
		stamps = append(stamps, f.Folder.Stamp, f.Item.Item.Stamp, f.Version.Stamp)
		holders = append(holders, f.Item.Item.ReservedBy)
	}
	shown, err := e.Tell.Show(ctx, stamps, holders...)
	if err != nil {
		return nil, err
	}
	parents, err := e.shownParents(ctx, place, found)
	if err != nil {
		return nil, err
	}
	resources := make([]jsonapi.Resource, len(found))
	for i := range found {
		f := &found[i]
		switch {
		case f.Version.ItemID != "":
			resources[i] = shown.Version(place.Project.ID, &f.Version)
		case f.Item.Item.ID != "":
			resources[i] = shown.Item(&f.Item.Item, "")
		default:
			resources[i] = shown.Folder(f.Folder, parents[f.Folder.ParentID])
		}
	}
	return resources, nil
}

// shownParents returns which folders above those that were found the caller can
// read.
func (e Ends) shownParents(ctx context.Context, place storage.Place, found []storage.Found) (map[string]bool, error) {
	may := map[string]bool{}
	var ends []storage.End
	for _, f := range found {
		isFolder := f.Item.Item.ID == "" && f.Folder.ParentID != ""
		if _, asked := may[f.Folder.ParentID]; isFolder && !asked {
			may[f.Folder.ParentID] = place.Standing.Everywhere()
			ends = append(ends, storage.End{FolderID: f.Folder.ParentID})
		}
	}
	if len(ends) == 0 || place.Standing.Everywhere() {
		return may, nil
	}
	_, parents, err := e.Store.FindEnds(ctx, place.Standing.Caller, place.Project.ID, ends)
	if err != nil {
		return nil, err
	}
	for i, f := range parents {
		may[ends[i].FolderID] = access.MayReadFound(place, f, shape.TypeFolders) == nil
	}
	return may, nil
}

// Read reads the identifier of a thing.
func (e Ends) Read(v jsonapi.Value) storage.End {
	kind, id := v.Member("type"), v.Member("id")
	urn := id.Text()
	end, ok := e.Tell.End(urn)
	switch {
	case urn != "" && !ok:
		id.Refuse(fault.New(fault.Invalid, "malformed_id", "The id must be the URN of a folder, an item or a version."))
	case ok && kind.Text() != e.Tell.Identifier(end).Type:
		kind.Refuse(fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "The id is one of %s.", e.Tell.Identifier(end).Type))
	}
	return end
}

// ShowTips shows the tips of items.
func (e Ends) ShowTips(ctx context.Context, place storage.Place, items []storage.Found) ([]jsonapi.Resource, error) {
	tips := make([]storage.Found, len(items))
	for i, f := range items {
		f.Version = f.Item.Tip
		tips[i] = f
	}
	return e.Show(ctx, place, tips)
}
