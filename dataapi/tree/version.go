package tree

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Ends of extension types that mean something to us, in whatever name space
// (decisions J7 and X1).
const (
	deletedType  = ":Deleted"
	documentType = ":Document"
)

// IsDeletion reports whether a version with the extension deletes its item.
func IsDeletion(e storage.Extension) bool { return strings.HasSuffix(e.Type, deletedType) }

// IsDocument reports whether what has the extension is called what its newest
// version is called.
func IsDocument(e storage.Extension) bool { return strings.HasSuffix(e.Type, documentType) }

// NextVersion is a version to be of an item.
type NextVersion struct {
	storage.NewVersion
	Named bool // its name is wanted, and not that of its source
}

// AddVersion adds the version to the item, or deletes that, where the caller may.
func (a *Rules) AddVersion(ctx context.Context, change storage.Change, projectID, itemID string,
	n NextVersion) (access.ItemSpot, error) {
	at, err := a.find.Item(ctx, change.Caller, projectID, itemID)
	if err == nil {
		err = access.MayAddVersion(at.Standing)
	}
	if err == nil && n.Delete {
		err = access.MayHide(at.Standing)
	}
	if err != nil {
		return access.ItemSpot{}, shape.Placed(err, AtItem)
	}
	if n.CopyFrom != nil {
		if _, _, err := a.mayCopyFrom(ctx, change.Caller, projectID, *n.CopyFrom); err != nil {
			return access.ItemSpot{}, err
		}
	}
	version := a.completed(n, at.Item)
	if version.RenameItem && version.Name != at.Item.Name {
		if err := a.mayBeCalled(ctx, at, storage.ItemPatch{Name: &version.Name}); err != nil {
			return access.ItemSpot{}, shape.Placed(err, AtName)
		}
	}
	at.ItemWithTip, err = a.store.AddVersion(ctx, change, projectID, itemID, version)
	err = access.OrRemoved(err, "item")
	if fault.HasReason(err, reasonItemAbsent) || fault.HasReason(err, storage.ReasonItemHidden) {
		err = fault.From(err).At(AtItem)
	}
	return at, placed(err)
}

// mayCopyFrom finds the version to be copied, if the caller may copy it.
func (a *Rules) mayCopyFrom(ctx context.Context, who storage.Caller, projectID string,
	ref storage.VersionRef) (access.ItemSpot, storage.Version, error) {
	from, version, err := a.find.Version(ctx, who, projectID, ref)
	if err == nil {
		err = access.MayCopy(from.Standing)
	}
	if err == nil && IsDeletion(version.Extension) {
		err = fault.New(fault.Invalid, jsonapi.ReasonInvalid,
			"This version says that the item was deleted: copy one from before.")
	}
	return from, version, shape.Placed(err, AtSource)
}

// completed adds what follows from the item. Documents are called what their
// newest version is called; other items only when one of their own versions is
// copied under another name, which is how they are renamed.
func (a *Rules) completed(n NextVersion, item storage.Item) storage.NewVersion {
	v := n.NewVersion
	if n.Delete {
		v.Name = a.ambient.UUID()
		v.Extension.Data = originalName(item.Name)
		return v
	}
	ownCopy := v.CopyFrom != nil && v.CopyFrom.ItemID == item.ID
	v.RenameItem = n.Named && (ownCopy || IsDocument(item.Extension))
	return v
}

// originalName is the data of the version that deletes an item, whose own name
// is no one's.
func originalName(name string) string {
	data, err := json.Marshal(struct {
		OriginalName string `json:"originalName"`
	}{name})
	if err != nil {
		return "" // can't be: it is text
	}
	return string(data)
}
