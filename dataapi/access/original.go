package access

import (
	"context"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Original returns a version of an item, the newest for number 0, to those who
// may read its bytes (decision J20): what twins import, and follow. What is
// hidden is not there, for its editors neither.
func (f Finder) Original(ctx context.Context, who storage.Caller, projectID string,
	ref storage.VersionRef) (storage.Place, storage.ItemWithTip, storage.Version, error) {
	var at ItemSpot
	var version storage.Version
	var err error
	if ref.Number == 0 {
		at, err = f.Item(ctx, who, projectID, ref.ItemID)
		version = at.Tip
	} else {
		at, version, err = f.Version(ctx, who, projectID, ref)
	}
	if err == nil && (at.Item.Hidden || !at.Folder.Visible) {
		err = fault.Absent("item")
	}
	if err == nil {
		err = Need(at.Standing, storage.LevelDownload, "read this file")
	}
	if err != nil {
		return storage.Place{}, storage.ItemWithTip{}, storage.Version{}, err
	}
	return at.Place, at.ItemWithTip, version, nil
}
