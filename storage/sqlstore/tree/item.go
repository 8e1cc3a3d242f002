package tree

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// Queries of one item, with its folder f and project p.
var (
	selectItemPlace = hubs.WayUp + `b.id = (SELECT folder_id FROM items WHERE uid = :item_uid)` + hubs.WayUpEnd + `
SELECT ` + hubs.PlaceColumns + `, ` + hubs.Granted + `, ` + wholeFolder() + `, ` +
		wholeItem("p.uid") + `, ` + wholeVersion("v", "o", "tip") + itemPlace

	selectVersionPlace = hubs.WayUp + `b.id = (SELECT folder_id FROM items WHERE uid = :item_uid)` + hubs.WayUpEnd + `
SELECT ` + hubs.PlaceColumns + `, ` + hubs.Granted + `, ` + wholeFolder() + `, ` +
		wholeItem("p.uid") + `, ` + wholeVersion("v", "o", "tip") + `, ` +
		wholeVersion("w", "wo", "version") + itemPlaceFrom + `
JOIN versions w ON w.item_id = i.id AND w.number = :number
LEFT JOIN objects wo ON wo.id = w.object_id` + itemPlaceWhere

	selectItem = `
SELECT ` + wholeItem("p.uid") + `, ` + wholeVersion("v", "o", "tip") + `
FROM items i JOIN folders f ON f.id = i.folder_id JOIN projects p ON p.id = i.project_id` + joinTip + `
WHERE i.uid = :item_uid AND p.id = :project_id`
)

const (
	itemPlaceFrom = `
FROM projects p` + hubs.JoinPlace + hubs.JoinGranted + `
JOIN items i ON i.uid = :item_uid AND i.project_id = p.id
JOIN folders f ON f.id = i.folder_id` + joinFolder + joinTip

	itemPlaceWhere = `
WHERE p.uid = :project_uid`

	itemPlace = itemPlaceFrom + itemPlaceWhere
)

// itemPlaceRow is an item with where it lies and how the caller stands there.
type itemPlaceRow struct {
	hubs.PlaceRow
	onlyFolder
	itemWithTip
}

// FindItem implements storage.ItemStore.
func (s *Tree) FindItem(ctx context.Context, caller storage.Caller, projectID,
	itemID string) (storage.Place, storage.Folder, storage.ItemWithTip, error) {
	var row itemPlaceRow
	arg := hubs.CallerArgs(caller)
	arg["project_uid"], arg["item_uid"] = projectID, itemID
	err := s.db.Get(ctx, &row, selectItemPlace, arg)
	return row.Place(caller), row.onlyFolder.record(), row.itemWithTip.record(), engine.OrAbsent(err, "item")
}

// FindVersion implements storage.VersionStore.
func (s *Tree) FindVersion(ctx context.Context, caller storage.Caller, projectID string,
	ref storage.VersionRef) (storage.Place, storage.Folder, storage.ItemWithTip, storage.Version, error) {
	var row struct {
		itemPlaceRow
		onlyVersion
	}
	arg := hubs.CallerArgs(caller)
	arg["project_uid"], arg["item_uid"], arg["number"] = projectID, ref.ItemID, ref.Number
	err := s.db.Get(ctx, &row, selectVersionPlace, arg)
	return row.Place(caller), row.onlyFolder.record(), row.itemWithTip.record(), row.onlyVersion.record(),
		engine.OrAbsent(err, "version")
}

// ListVersions implements storage.VersionStore. The cursor is the number of the
// last version.
func (s *Tree) ListVersions(ctx context.Context, projectID, itemID string, query storage.VersionQuery,
	page storage.DataPage) ([]storage.Version, string, error) {
	span, err := engine.SpanOf(page)
	if err != nil {
		return nil, "", err
	}
	f := engine.NewFilter()
	f.Add("i.uid = " + f.Bind(itemID))
	f.Add("i.project_id = (SELECT id FROM projects WHERE uid = " + f.Bind(projectID) + ")")
	f.Numbers("v.number", query.Numbers)
	f.Text("v.extension_type", query.ExtensionTypes)
	f.Data("v.extension_data", query.Data)
	order, sign := " DESC", "<"
	if query.Ascending {
		order, sign = "", ">"
	}
	if span.After != "" {
		number, err := engine.ParseNumber(span.After)
		if err != nil {
			return nil, "", err
		}
		f.Add("v.number " + sign + " " + f.Bind(number))
	}
	text := "SELECT " + wholeVersion("v", "o", "version") + "\nFROM items i JOIN versions v ON v.item_id = i.id" +
		joinObject +
		f.Clause() + "\nORDER BY v.number" + order + f.LimitClause(span)
	rows, err := engine.Filtered[onlyVersion](ctx, s.db, text, f)
	rows, next := engine.CutPage(rows, span.Limit, func(r onlyVersion) string { return strconv.Itoa(r.Version.Number) })
	return engine.Records(rows, onlyVersion.record), next, err
}

const selectSums = `
SELECT v.number, o.sha256 FROM items i JOIN versions v ON v.item_id = i.id JOIN objects o ON o.id = v.object_id
WHERE i.uid = :item_uid AND i.project_id = (SELECT id FROM projects WHERE uid = :project_uid)
	AND v.number BETWEEN :from AND :to`

// ListSums implements storage.VersionStore.
func (s *Tree) ListSums(ctx context.Context, projectID, itemID string, from, to int) (map[int][]byte, error) {
	var rows []struct {
		Number int
		SHA256 []byte `db:"sha256"`
	}
	err := s.db.List(ctx, &rows, selectSums, engine.Args{"project_uid": projectID, "item_uid": itemID, "from": from,
		"to": to})
	sums := map[int][]byte{}
	for _, row := range rows {
		sums[row.Number] = row.SHA256
	}
	return sums, engine.AsFault(err)
}
