package tree

import (
	"context"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// listing is the reading of one page of a folder's contents.
type listing struct {
	store  *Tree
	query  storage.ContentsQuery
	offset int
	limit  int

	projectID, folderID string

	inItems bool  // the page before has ended with an item, or all folders
	started bool  // it has ended with a thing of that kind:
	id      int64 // its id and key, which is a number where the order is that of times
	key     string
	at      int64

	marks marks // of what was read
}

// listedFolder and listedItem are rows of contents.
type (
	listedFolder struct {
		Mark string
		onlyFolder
	}
	listedItem struct {
		Mark string
		itemWithTip
	}
)

const (
	// The folder whose contents are wanted.
	theFolder = `(SELECT id FROM folders WHERE uid = :folder_uid
	AND project_id = (SELECT id FROM projects WHERE uid = :project_uid))`

	// The ids of folder and project are the same in every row: no join.
	theProjectUID = `cast(:project_uid AS text)`
	theFolderUID  = `cast(:folder_uid AS text)`

	joinPath = `
JOIN folder_paths fp ON fp.folder_id = f.id{pending}`

	// What tells that a row of contents is no longer what it was. Whoever changes a folder,
	// an item or a version has its revision grow; where a folder lies, and what is below
	// it, changes without it. A database that lost its newest commits tells the same revisions
	// once more, at other times.
	folderMark = `f.uid || ' ' || f.revision || ' ' || {rollup_at} || ' ' || {object_count}
	|| ' ' || fp.path || ' ' || CASE WHEN fp.visible THEN 'v' ELSE 'h' END`
	itemMark = `i.uid || ' ' || i.revision || ' ' || i.modified_at || ' ' || coalesce(i.reserved_until, 0)
	|| ' ' || v.revision || ' ' || v.modified_at`
)

var (
	// Those of folder f in the folder.
	contentsColumns = wholeFolderIn(theProjectUID, theFolderUID) + `, ` + folderMark + ` AS mark`

	// Those of item i in it and of its tip v.
	itemContents = itemAlone() + `, ` + versionAlone("v", "o", "tip") + `, ` + itemMark + ` AS mark`
)

// ListContents implements storage.FolderStore.
func (s *Tree) ListContents(ctx context.Context, projectID, folderID string, query storage.ContentsQuery,
	page storage.DataPage) (storage.Contents, error) {
	span, err := engine.SpanOf(page)
	if err != nil {
		return storage.Contents{}, err
	}
	l := listing{
		store: s, query: query, projectID: projectID, folderID: folderID, offset: span.Offset, limit: span.Limit,
	}
	if err := l.goOn(span.After); err != nil {
		return storage.Contents{}, err
	}
	contents, err := l.readAgain(ctx, page)
	return contents, engine.AsFault(err)
}

// The cursor is "f" or "i" for what the page has ended with, its id and its
// key; "i" alone stands before the first item.
func (l *listing) goOn(cursor string) error {
	if cursor == "" {
		return nil
	}
	kind, place, more := strings.Cut(cursor, ":")
	l.inItems = kind == "i"
	if !l.inItems && (kind != "f" || !more) {
		return engine.BadCursor()
	}
	if !more {
		return nil
	}
	id, key, err := engine.SplitNameCursor(place)
	if err != nil {
		return err
	}
	l.started, l.key = true, key
	if l.id, err = strconv.ParseInt(id, 10, 64); err == nil && l.byTime() {
		l.at, err = strconv.ParseInt(key, 10, 64)
	}
	if err != nil {
		return engine.BadCursor()
	}
	return nil
}

// byTime reports whether what is listed next is in the order of times.
func (l *listing) byTime() bool { return l.query.Newest && l.inItems }

func contentsCursor(kind string, id int64, key string) string {
	return kind + ":" + engine.NameCursor(strconv.FormatInt(id, 10), key)
}

func (l *listing) read(ctx context.Context) (storage.Contents, error) {
	var folders []listedFolder
	var err error
	if !l.inItems && !l.query.NoFolders && len(l.query.Stated) == 0 {
		if folders, err = l.folders(ctx, l.limit+1); err != nil {
			return storage.Contents{}, err
		}
	}
	if len(folders) > l.limit {
		folders = folders[:l.limit]
		last := folders[l.limit-1].Folder
		return storage.Contents{
			Folders: engine.Records(folders, listedFolder.record), Next: contentsCursor("f", last.Key, last.NameKey),
		}, nil
	}
	contents := storage.Contents{Folders: engine.Records(folders, listedFolder.record)}
	if l.query.NoItems {
		return contents, nil
	}
	if err := l.skipFolders(ctx, len(folders)); err != nil {
		return storage.Contents{}, err
	}
	room := l.limit - len(folders)
	items, err := l.items(ctx, room+1)
	if err != nil {
		return storage.Contents{}, err
	}
	if len(items) > room {
		items, contents.Next = items[:room], "i"
		if room > 0 {
			last := items[room-1].Item
			contents.Next = contentsCursor("i", last.Key, l.itemKey(last))
		}
	}
	contents.Items = engine.Records(items, listedItem.record)
	return contents, nil
}

// itemKey is where an item stands in the order.
func (l *listing) itemKey(item itemRow) string {
	if l.query.Newest {
		return strconv.FormatInt(item.ModifiedAt.UnixMicro(), 10)
	}
	return item.NameKey
}

// skipFolders turns the number of things to pass over into that of items to
// pass over, and starts them anew when the page began among folders.
func (l *listing) skipFolders(ctx context.Context, onPage int) error {
	if !l.inItems {
		l.started = false
	}
	if l.offset == 0 || l.query.NoFolders || len(l.query.Stated) > 0 {
		return nil
	}
	if onPage > 0 {
		l.offset = 0
		return nil
	}
	f := l.folderFilter()
	var n int
	err := l.store.db.Get(ctx, &n, "SELECT count(*) FROM folders f"+joinPath+f.Clause(), f.Args)
	l.offset = max(0, l.offset-n)
	return err
}

func (l *listing) folders(ctx context.Context, room int) ([]listedFolder, error) {
	text, f := l.folderQuery(room, contentsColumns)
	rows, err := engine.Filtered[listedFolder](ctx, l.store.db, text, f)
	l.marks.folders = marked(room, rows, func(r listedFolder) string { return r.Mark })
	return rows, err
}

// folderQuery cuts the page first, and looks for what is pending after that,
// unless that decides what is on the page.
func (l *listing) folderQuery(room int, columns string) (string, *engine.Filter) {
	f := l.folderFilter()
	page := l.order(f, "f") + f.LimitClause(engine.Span{Limit: room - 1, Offset: l.offset})
	if len(l.query.Rollup) > 0 {
		return "SELECT " + columns + "\nFROM folders f" + joinPath + f.Clause() + page, f
	}
	return "SELECT " + columns + "\nFROM (SELECT " + engine.Names("f", "id, rollup_at, object_count, "+folderColumns) +
		" FROM folders f" + f.Clause() + page + ") f" + joinPath + l.direction("f"), f
}

func (l *listing) folderFilter() *engine.Filter {
	f := l.filter("f", "f.parent_id", l.query.FolderIDs)
	f.Times("{rollup_at}", l.query.Rollup)
	return f
}

func (l *listing) items(ctx context.Context, room int) ([]listedItem, error) {
	text, f := l.itemQuery(room, itemContents, joinTip)
	rows, err := engine.Filtered[listedItem](ctx, l.store.db, text, f)
	l.marks.items = marked(room, rows, func(r listedItem) string { return r.Mark })
	for i := range rows {
		item := &rows[i].Item
		item.ProjectID, item.FolderID, rows[i].Tip.ItemID = l.projectID, l.folderID, item.ID
	}
	return rows, err
}

// itemQuery cuts the page first, and looks for tips after that. It does not ask where they
// lie, which is known: a column more costs as much as what is in it.
func (l *listing) itemQuery(room int, columns, join string) (string, *engine.Filter) {
	f := l.filter("i", "i.folder_id", l.query.ItemIDs)
	f.Times("i.modified_at", l.query.Rollup)
	if len(l.query.Stated) > 0 {
		f.Add("i.tip_stated > 0 AND i.tip_stated = i.tip")
	}
	for _, c := range l.query.Stated {
		f.Text("i.tip_"+string(c.Of), []storage.TextCondition{c.TextCondition})
	}
	order := l.order(f, "i")
	return "SELECT " + columns + "\nFROM (SELECT " + engine.Names("i", "id, "+itemColumns) + " FROM items i" + f.Clause() +
		order + f.LimitClause(engine.Span{Limit: room - 1, Offset: l.offset}) + ") i" + join + l.direction("i"), f
}

// filter has the conditions that folders and items share.
func (l *listing) filter(table, parent string, ids []string) *engine.Filter {
	f := engine.NewFilter()
	f.Args["project_uid"], f.Args["folder_uid"] = l.projectID, l.folderID
	f.Add(parent + " = " + theFolder)
	switch l.query.Hidden {
	case storage.HiddenExcluded:
		f.Add("NOT " + table + ".hidden")
	case storage.HiddenOnly:
		f.Add(table + ".hidden")
	}
	if l.query.Named != "" {
		f.Add(table + ".name_key = " + f.Bind(textkey.Fold(l.query.Named)))
	}
	if l.query.Part != "" {
		f.Add(f.Compare(table+".name_key", storage.OpContains, textkey.Fold(l.query.Part)))
	}
	if l.query.ByID {
		f.Add(f.Among(table+".uid", ids))
	}
	f.Text(table+".extension_type", l.query.ExtensionTypes)
	f.Data(table+".extension_data", l.query.Data)
	return f
}

// order adds where the page starts, and returns the order.
func (l *listing) order(f *engine.Filter, table string) string {
	sign := ">"
	column, descending := l.sorted(table)
	if descending {
		sign = "<"
	}
	if l.started {
		var from any = l.key
		if l.byTime() {
			from = l.at
		}
		f.Add("(" + column + ", " + table + ".id) " + sign + " (" + f.Bind(from) + ", " + f.Bind(l.id) + ")")
	}
	return l.direction(table)
}

func (l *listing) direction(table string) string {
	column, descending := l.sorted(table)
	if descending {
		return "\nORDER BY " + column + " DESC, " + table + ".id DESC"
	}
	return "\nORDER BY " + column + ", " + table + ".id"
}

// sorted is what a table is in the order of, and whether from the end.
func (l *listing) sorted(table string) (column string, descending bool) {
	if l.query.Newest && table == "i" {
		return "i.modified_at", true
	}
	return table + ".name_key", l.query.Descending
}
