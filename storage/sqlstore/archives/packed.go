package archives

import (
	"context"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	selectTop = `
SELECT f.id AS key, coalesce(f.parent_id, 0) AS parent_key, f.uid AS id, f.name, fp.path
FROM folders f JOIN projects p ON p.id = f.project_id JOIN folder_paths fp ON fp.folder_id = f.id
WHERE f.uid = :uid AND p.uid = :project_uid AND fp.visible`

	selectFoldersBelow = `
SELECT f.id AS key, coalesce(f.parent_id, 0) AS parent_key, f.uid AS id, f.name, fp.path
FROM folder_paths fp JOIN folders f ON f.id = fp.folder_id
WHERE fp.path > :path AND fp.path < :path_end AND fp.visible
LIMIT :limit`

	selectFiles = `
SELECT i.folder_id AS folder_key, i.uid AS item_id, i.name, v.created_at, v.size, o.id IS NOT NULL AS stored,
	coalesce(o.blob, '') AS blob, o.crc32, coalesce(o.scan, '') AS scan, coalesce(o.finding, '') AS finding
FROM folder_paths fp JOIN items i ON i.folder_id = fp.folder_id
	JOIN versions v ON v.item_id = i.id AND v.number = i.tip
	LEFT JOIN objects o ON o.id = v.object_id`

	filesBelow = selectFiles + `
WHERE fp.path >= :path AND fp.path < :path_end AND fp.visible AND NOT i.hidden
LIMIT :limit`

	chosenFiles = selectFiles + `
WHERE i.folder_id = ? AND NOT i.hidden AND i.uid IN (?)`
)

// topRow is a folder with its path.
type topRow struct {
	storage.PackedFolder
	Path string
}

// ListPacked implements storage.ArchiveStore.
func (s *Archives) ListPacked(ctx context.Context, projectID, folderID string, choice *storage.ArchiveChoice,
	limit int) ([]storage.PackedFolder, []storage.PackedFile, error) {
	top, err := s.top(ctx, projectID, folderID)
	if err != nil {
		return nil, nil, err
	}
	p := packing{store: s, limit: limit, folders: []storage.PackedFolder{top.PackedFolder}}
	if choice == nil {
		err = p.below(ctx, top)
	} else {
		err = p.chosen(ctx, projectID, top, *choice)
	}
	return p.folders, p.files, err
}

func (s *Archives) top(ctx context.Context, projectID, folderID string) (topRow, error) {
	return engine.Find[topRow](ctx, s.db, "folder", selectTop, engine.Args{"uid": folderID, "project_uid": projectID})
}

// packing gathers what is packed.
type packing struct {
	store   *Archives
	limit   int
	folders []storage.PackedFolder
	files   []storage.PackedFile
}

// below adds what lies below a folder.
func (p *packing) below(ctx context.Context, top topRow) error {
	arg := engine.Args{"path": top.Path, "path_end": strings.TrimSuffix(top.Path, "/") + "0", "limit": p.limit + 1}
	folders, err := engine.All[topRow](ctx, p.store.db, selectFoldersBelow, arg)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		p.folders = append(p.folders, folder.PackedFolder)
	}
	files, err := engine.All[storage.PackedFile](ctx, p.store.db, filesBelow, arg)
	p.files = append(p.files, files...)
	return err
}

// chosen adds the items of a choice, and its folders with what lies below them.
func (p *packing) chosen(ctx context.Context, projectID string, top topRow, choice storage.ArchiveChoice) error {
	if len(choice.ItemIDs) > 0 {
		err := engine.ReadAmong(ctx, p.store.db, &p.files, chosenFiles, choice.ItemIDs, top.Key)
		if err != nil {
			return engine.AsFault(err)
		}
		if len(p.files) != len(choice.ItemIDs) {
			return chosenAbsent("item")
		}
	}
	for _, id := range choice.FolderIDs {
		folder, err := p.store.top(ctx, projectID, id)
		if fault.Is(err, fault.NotFound) || err == nil && folder.ParentKey != top.Key {
			return chosenAbsent("folder")
		}
		if err != nil {
			return err
		}
		p.folders = append(p.folders, folder.PackedFolder)
		if err := p.below(ctx, folder); err != nil {
			return err
		}
	}
	return nil
}
