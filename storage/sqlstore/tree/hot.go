package tree

import (
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Hot is what browsing a tree and filling it come down to, and what workers look for all the time.
func Hot() engine.Hot {
	return engine.Hot{
		Read: append(hotListings(),
			selectFolderPlace, selectItemPlace, selectVersionPlace, selectGranted, selectGrants, foldersByID, selectAncestors,
			selectObject, selectUpload, selectHolder, selectLimits, selectDone, selectObjectItems,
			selectDueDeliveries),
		Round: []string{selectBehindWebhooks, selectNoted},
		Write: []string{
			selectSpot, noteChange, insertFolder, insertFolderPath, insertItem, insertVersion,
			lockItem, updateItem, selectItem, selectFolder,
			claimRequest, insertObject, selectObject, insertUpload, wantObject, storeObject, deleteUploads, endOthers,
			useQuota, selectOwnLimits, lockLimits, holdBytes, holdNoMore, selectObjectState, claimObject, takeChanges,
			lockFolders,
		},
	}
}

// hotListings returns the queries of plain pages of contents: the first, and
// one after a cursor, read and compared.
func hotListings() []string {
	var all []string
	for _, started := range []bool{false, true} {
		l := listing{limit: storage.MaxPage, started: started}
		folders, _ := l.folderQuery(l.limit, contentsColumns)
		items, _ := l.itemQuery(l.limit, itemContents, joinTip)
		foldersAgain, _ := l.folderMarks(l.limit)
		itemsAgain, _ := l.itemMarks(l.limit)
		all = append(all, folders, items, foldersAgain, itemsAgain)
	}
	return all
}
