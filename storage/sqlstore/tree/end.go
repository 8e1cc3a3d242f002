package tree

import (
	"context"
	"fmt"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// endRow is an end with the keys of the tables. Of folder and item one is set.
type endRow struct {
	FolderID *int64
	ItemID   *int64
	Version  int
	Folder   string // uid of the folder whose readers it concerns
	Subject  string // uid of the thing; of a version's item
}

const (
	selectEndFolder = `
SELECT f.id, f.uid AS folder_uid FROM folders f WHERE f.uid = :uid AND f.project_id = :project_id
FOR KEY SHARE`

	selectEndItem = `
SELECT i.id, f.uid AS folder_uid FROM items i JOIN folders f ON f.id = i.folder_id
WHERE i.uid = :uid AND i.project_id = :project_id AND :version <= i.tip
FOR KEY SHARE OF i`
)

// end finds an end and holds on to it, so that it can't be purged meanwhile.
func (t tx) end(ctx context.Context, project hubs.ProjectRow, end storage.End) (endRow, error) {
	var found struct {
		ID        int64
		FolderUID string
	}
	query, what, uid := selectEndItem, "item", end.ItemID
	switch {
	case end.FolderID != "":
		query, what, uid = selectEndFolder, "folder", end.FolderID
	case end.Version > 0:
		what = "version"
	}
	err := t.Get(ctx, &found, query, engine.Args{"uid": uid, "project_id": project.ID, "version": end.Version})
	if err != nil {
		return endRow{}, engine.OrAbsentRow(err, what)
	}
	row := endRow{Folder: found.FolderUID, Subject: uid}
	if end.FolderID != "" {
		row.FolderID = &found.ID
		return row, nil
	}
	row.ItemID, row.Version = &found.ID, end.Version
	return row, nil
}

// endName is what an event calls the end.
func endName(end storage.End) string {
	switch {
	case end.FolderID != "":
		return "folder " + end.FolderID
	case end.Version > 0:
		return fmt.Sprintf("version %s %d", end.ItemID, end.Version)
	}
	return "item " + end.ItemID
}

// atEnd returns the condition that columns, which begin with the prefix, name the end.
func atEnd(f *engine.Filter, prefix string, end storage.End, projectID string) string {
	project := "(SELECT id FROM projects WHERE uid = " + f.Bind(projectID) + ")"
	if end.FolderID != "" {
		return prefix + "folder_id = (SELECT id FROM folders WHERE uid = " + f.Bind(end.FolderID) +
			" AND project_id = " + project + ")"
	}
	return prefix + "item_id = (SELECT id FROM items WHERE uid = " + f.Bind(end.ItemID) +
		" AND project_id = " + project + ")" +
		" AND " + prefix + "version = " + f.Bind(end.Version)
}

// FindEnds implements storage.EndStore.
func (s *Tree) FindEnds(ctx context.Context, caller storage.Caller, projectID string,
	ends []storage.End) (storage.Place, []storage.Found, error) {
	if len(ends) > storage.MaxEnds {
		return storage.Place{}, nil, fault.Newf(fault.Invalid, "", "At most %d things at once.", storage.MaxEnds)
	}
	place, err := s.hubs.FindProject(ctx, caller, projectID)
	if err != nil {
		return place, nil, err
	}
	look := lookup{store: s, projectID: projectID, folders: map[string]folderRow{}, items: map[string]foundItem{},
		versions: map[storage.VersionRef]versionRow{}}
	if err := look.run(ctx, caller.UserID, ends); err != nil {
		return place, nil, engine.AsFault(err)
	}
	found := make([]storage.Found, len(ends))
	for i, end := range ends {
		found[i] = look.found(end)
	}
	return place, found, nil
}

// grantedRow is where something is granted to the caller.
type grantedRow struct {
	Path  string
	Level storage.Level
}

const selectGranted = `SELECT fp.path, g.level FROM (` + selectGrants + `) g {path of g}`

// lookup gathers what FindEnds returns, in a query for each sort of thing.
type lookup struct {
	store     *Tree
	projectID string
	grants    []grantedRow
	folders   map[string]folderRow
	items     map[string]foundItem
	versions  map[storage.VersionRef]versionRow
}

type foundItem struct {
	onlyFolder
	itemWithTip
}

func (l *lookup) run(ctx context.Context, userID string, ends []storage.End) error {
	var folders, items []string
	var versions []storage.VersionRef
	for _, end := range ends {
		switch {
		case end.FolderID != "":
			folders = append(folders, end.FolderID)
			continue
		case end.Version > 0:
			versions = append(versions, storage.VersionRef{ItemID: end.ItemID, Number: end.Version})
		}
		items = append(items, end.ItemID)
	}
	if userID != "" {
		err := l.store.db.List(ctx, &l.grants, selectGranted, engine.Args{"user_id": userID, "project_uid": l.projectID})
		if err != nil {
			return err
		}
	}
	if err := l.findFolders(ctx, folders); err != nil {
		return err
	}
	if err := l.findItems(ctx, items); err != nil {
		return err
	}
	return l.findVersions(ctx, versions)
}

const inThisProject = "p.uid = "

func (l *lookup) findFolders(ctx context.Context, uids []string) error {
	if len(uids) == 0 {
		return nil
	}
	f := engine.NewFilter()
	f.In("f.uid", uids)
	f.Add(inThisProject + f.Bind(l.projectID))
	rows, err := l.store.folderRows(ctx, f)
	for _, row := range rows {
		l.folders[row.Folder.ID] = row.Folder
	}
	return err
}

func (l *lookup) findItems(ctx context.Context, uids []string) error {
	if len(uids) == 0 {
		return nil
	}
	f := engine.NewFilter()
	f.In("i.uid", uids)
	f.Add(inThisProject + f.Bind(l.projectID))
	rows, err := engine.Filtered[foundItem](ctx, l.store.db, "SELECT "+wholeFolder()+", "+wholeItem("p.uid")+", "+
		wholeVersion("v", "o", "tip")+`
FROM items i JOIN projects p ON p.id = i.project_id JOIN folders f ON f.id = i.folder_id`+joinFolder+joinTip+f.Clause(), f)
	for _, row := range rows {
		l.items[row.Item.ID] = row
	}
	return err
}

// findVersions asks for those that are no tips.
func (l *lookup) findVersions(ctx context.Context, refs []storage.VersionRef) error {
	f := engine.NewFilter()
	var wanted []string
	for _, ref := range refs {
		item, ok := l.items[ref.ItemID]
		switch {
		case !ok:
		case item.Tip.Number == ref.Number:
			l.versions[ref] = item.Tip
		default:
			wanted = append(wanted, "v.item_id = "+f.Bind(item.Item.Key)+" AND v.number = "+f.Bind(ref.Number))
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	f.Add("(" + strings.Join(wanted, " OR ") + ")")
	rows, err := engine.Filtered[onlyVersion](ctx, l.store.db, "SELECT "+wholeVersion("v", "o", "version")+
		"\nFROM versions v JOIN items i ON i.id = v.item_id"+joinObject+f.Clause(), f)
	for _, row := range rows {
		l.versions[storage.VersionRef{ItemID: row.Version.ItemID, Number: row.Version.Number}] = row.Version
	}
	return err
}

func (l *lookup) found(end storage.End) storage.Found {
	if end.FolderID != "" {
		folder, ok := l.folders[end.FolderID]
		if !ok {
			return storage.Found{}
		}
		return storage.Found{Folder: folder.record(), Granted: grantedAt(l.grants, folder.Path)}
	}
	item, ok := l.items[end.ItemID]
	if !ok {
		return storage.Found{}
	}
	found := storage.Found{
		Folder: item.onlyFolder.record(), Item: item.itemWithTip.record(), Granted: grantedAt(l.grants, item.Folder.Path),
	}
	if end.Version == 0 {
		return found
	}
	version, ok := l.versions[storage.VersionRef{ItemID: end.ItemID, Number: end.Version}]
	if !ok {
		return storage.Found{}
	}
	found.Version = version.Version
	return found
}

// grantedAt returns the highest level granted on the path or above it.
func grantedAt(grants []grantedRow, path string) storage.Level {
	level := storage.LevelNone
	for _, g := range grants {
		if below(path, g.Path) {
			level = max(level, g.Level)
		}
	}
	return level
}
