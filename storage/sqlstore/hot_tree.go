package sqlstore

import (
	"context"

	"github.com/portico-id/portico/storage"
)

// prepareTree prepares what browsing a tree and filling it come down to, and
// mutations of twins.
func (s *Store) prepareTree(ctx context.Context) error {
	read := append(hotListings(),
		selectHubPlace, selectPlace, selectFolderPlace, selectItemPlace, selectVersionPlace, selectGranted, selectGrants, selectElsewhere, foldersByID)
	if err := s.reader.prepare(ctx, read...); err != nil {
		return err
	}
	write := []string{
		selectProject, selectSpot, insertEvent, insertFolder, insertFolderPath, insertItem, insertVersion,
		lockItem, updateItem, selectItem, selectFolder,
		lockFacility, selectModel, selectProperties, insertMutation, touchFacility,
	}
	if s.writer.dialect.foldsLater {
		return s.writer.prepare(ctx, append(write, lockTogether, insertFolderChange)...)
	}
	return s.writer.prepare(ctx, append(write, applyFolderChange)...)
}

// hotListings returns the queries of plain pages of contents: the first, and
// one after a cursor.
func hotListings() []string {
	var all []string
	for _, started := range []bool{false, true} {
		l := listing{folder: args{}, limit: storage.MaxPage, started: started}
		folders, _ := l.folderQuery(l.limit)
		items, _ := l.itemQuery(l.limit)
		all = append(all, folders, items)
	}
	return all
}
