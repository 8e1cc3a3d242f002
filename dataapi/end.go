package dataapi

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Owner is a kind of thing that references and links hang on.
type Owner string

// The owners, each by the type of its resource.
const (
	OfFolder  Owner = shape.TypeFolders
	OfItem    Owner = shape.TypeItems
	OfVersion Owner = shape.TypeVersions
)

// owner is the thing in the path, and how the caller stands there.
type owner struct {
	access.Spot
	end     storage.End
	address string // of the resource
}

// reachOwner returns the thing in the path.
func (h *Handler) reachOwner(r *http.Request, of Owner) (owner, error) {
	switch of {
	case OfItem:
		at, err := h.find.ReachItem(r)
		return owner{at.Spot, storage.End{ItemID: at.Item.ID}, h.tell.ItemURL(at.Project.ID, at.Item.ID)}, err
	case OfVersion:
		at, v, err := h.find.ReachVersion(r)
		return owner{at.Spot, storage.End{ItemID: v.ItemID, Version: v.Number}, h.tell.VersionURL(at.Project.ID, v.ItemID, v.Number)}, err
	}
	at, err := h.find.ReachFolder(r)
	return owner{at, storage.End{FolderID: at.Folder.ID}, h.tell.FolderURL(at.Project.ID, at.Folder.ID)}, err
}

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

// seenRef is a reference whose other end the caller can see.
type seenRef struct {
	storage.Ref
	other   storage.End
	outward bool // runs from the end asked for
	found   storage.Found
}

// refs returns a page of the references of a thing whose other end the caller
// can see and that are to be kept, and where the next page begins. The store
// knows no rights, so it is asked until the page is full, and once more until it
// is known that there is something left to see.
func (h *Handler) refs(ctx context.Context, at owner, query storage.RefQuery, page storage.DataPage, keep func(storage.Found) bool) ([]seenRef, string, error) {
	pass := 0 // how many come before the page
	if page.After == "" {
		pass = page.Number * page.Limit
	}
	var shown []seenRef
	for after := page.After; ; {
		room := storage.MaxPage
		full := len(shown) == page.Limit
		if !full {
			room = min(room, pass+page.Limit-len(shown))
		}
		refs, next, err := h.store.ListRefs(ctx, at.Project.ID, at.end, query, storage.PageRequest{After: after, Limit: room})
		if err != nil {
			return nil, "", err
		}
		seen, err := h.seen(ctx, at, refs, keep)
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
func (h *Handler) seen(ctx context.Context, at owner, refs []storage.Ref, keep func(storage.Found) bool) ([]seenRef, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	ends := make([]storage.End, len(refs))
	for i, ref := range refs {
		ends[i], _ = ref.Other(at.end)
	}
	place, found, err := h.store.FindEnds(ctx, at.Standing.Caller, at.Project.ID, ends)
	if err != nil {
		return nil, err
	}
	var seen []seenRef
	for i, ref := range refs {
		if access.Shows(place, found[i]) && keep(found[i]) {
			_, outward := ref.Other(at.end)
			seen = append(seen, seenRef{ref, ends[i], outward, found[i]})
		}
	}
	return seen, nil
}

// showEnds shows the resources at the other ends, each once.
func (h *Handler) showEnds(ctx context.Context, place storage.Place, refs []seenRef) ([]jsonapi.Resource, error) {
	found := make([]storage.Found, 0, len(refs))
	seen := map[storage.End]bool{}
	for _, ref := range refs {
		if !seen[ref.other] {
			seen[ref.other] = true
			found = append(found, ref.found)
		}
	}
	return h.showFound(ctx, place, found)
}

// showFound shows resources that were found together.
func (h *Handler) showFound(ctx context.Context, place storage.Place, found []storage.Found) ([]jsonapi.Resource, error) {
	var stamps []storage.Stamp
	var holders []string
	for _, f := range found {
		stamps = append(stamps, f.Folder.Stamp, f.Item.Item.Stamp, f.Version.Stamp)
		holders = append(holders, f.Item.Item.ReservedBy)
	}
	shown, err := h.tell.Show(ctx, stamps, holders...)
	if err != nil {
		return nil, err
	}
	parents, err := h.shownParents(ctx, place, found)
	if err != nil {
		return nil, err
	}
	resources := make([]jsonapi.Resource, len(found))
	for i, f := range found {
		switch {
		case f.Version.ItemID != "":
			resources[i] = shown.Version(place.Project.ID, f.Version)
		case f.Item.Item.ID != "":
			resources[i] = shown.Item(f.Item.Item, "")
		default:
			resources[i] = shown.Folder(f.Folder, parents[f.Folder.ParentID])
		}
	}
	return resources, nil
}

// shownParents returns which folders above those that were found the caller can
// read.
func (h *Handler) shownParents(ctx context.Context, place storage.Place, found []storage.Found) (map[string]bool, error) {
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
	_, parents, err := h.store.FindEnds(ctx, place.Standing.Caller, place.Project.ID, ends)
	if err != nil {
		return nil, err
	}
	for i, f := range parents {
		may[ends[i].FolderID] = access.MayReadFound(place, f, shape.TypeFolders) == nil
	}
	return may, nil
}

// ref shows a reference, seen from the end asked for.
func showRef(s shape.Shape, ref seenRef) refIdentifier {
	from, to, other := s.Identifier(ref.From), s.Identifier(ref.To), s.Identifier(ref.other)
	direction := directionTo
	if ref.outward {
		direction = directionFrom
	}
	return refIdentifier{Type: other.Type, ID: other.ID, Meta: refMeta{
		RefType: refType(ref.Extension), Direction: direction,
		FromID: from.ID, FromType: from.Type, ToID: to.ID, ToType: to.Type,
		Extension: s.Extension(ref.Extension, "", shape.NoData{}),
	}}
}

// readEnd reads the identifier of a thing.
func (h *Handler) readEnd(v jsonapi.Value) storage.End {
	kind, id := v.Member("type"), v.Member("id")
	urn := id.Text()
	end, ok := h.tell.End(urn)
	switch {
	case urn != "" && !ok:
		id.Refuse(fault.New(fault.Invalid, "malformed_id", "The id must be the URN of a folder, an item or a version."))
	case ok && kind.Text() != h.tell.Identifier(end).Type:
		kind.Refuse(fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "The id is one of %s.", h.tell.Identifier(end).Type))
	}
	return end
}
