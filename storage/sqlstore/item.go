package sqlstore

import (
	"context"
	"strconv"

	"github.com/portico-id/portico/storage"
)

// Queries of one item, with its folder f and project p.
var (
	selectItemPlace = wayUp + `b.id = (SELECT folder_id FROM items WHERE uid = :item_uid)` + wayUpEnd + `
SELECT ` + placeColumns + `, ` + granted + `, ` + folderColumns() + `, ` +
		itemColumns("p.uid", "f.uid") + `, ` + versionColumns("v", "o", "tip") + itemPlace

	selectVersionPlace = wayUp + `b.id = (SELECT folder_id FROM items WHERE uid = :item_uid)` + wayUpEnd + `
SELECT ` + placeColumns + `, ` + granted + `, ` + folderColumns() + `, ` +
		itemColumns("p.uid", "f.uid") + `, ` + versionColumns("v", "o", "tip") + `, ` +
		versionColumns("w", "wo", "version") + itemPlaceFrom + `
JOIN versions w ON w.item_id = i.id AND w.number = :number
LEFT JOIN objects wo ON wo.id = w.object_id` + itemPlaceWhere

	selectItem = `
SELECT ` + itemColumns("p.uid", "f.uid") + `, ` + versionColumns("v", "o", "tip") + `
FROM items i JOIN folders f ON f.id = i.folder_id JOIN projects p ON p.id = i.project_id` + joinTip + `
WHERE i.uid = :item_uid AND p.id = :project_id`
)

const (
	itemPlaceFrom = `
FROM projects p` + joinPlace + `
JOIN items i ON i.uid = :item_uid AND i.project_id = p.id
JOIN folders f ON f.id = i.folder_id` + joinFolder + joinTip

	itemPlaceWhere = `
WHERE p.uid = :project_uid`

	itemPlace = itemPlaceFrom + itemPlaceWhere
)

// itemPlaceRow is an item with where it lies and how the caller stands there.
type itemPlaceRow struct {
	placeRow
	onlyFolder
	itemWithTip
}

// FindItem implements storage.ItemStore.
func (s *Store) FindItem(ctx context.Context, caller storage.Caller, projectID, itemID string) (storage.Place, storage.Folder, storage.ItemWithTip, error) {
	var row itemPlaceRow
	arg := callerArgs(caller)
	arg["project_uid"], arg["item_uid"] = projectID, itemID
	err := s.reader.get(ctx, &row, selectItemPlace, arg)
	return row.place(caller), row.onlyFolder.record(), row.itemWithTip.record(), orAbsent(err, "item")
}

// FindVersion implements storage.VersionStore.
func (s *Store) FindVersion(ctx context.Context, caller storage.Caller, projectID string, ref storage.VersionRef) (storage.Place, storage.Folder, storage.ItemWithTip, storage.Version, error) {
	var row struct {
		itemPlaceRow
		onlyVersion
	}
	arg := callerArgs(caller)
	arg["project_uid"], arg["item_uid"], arg["number"] = projectID, ref.ItemID, ref.Number
	err := s.reader.get(ctx, &row, selectVersionPlace, arg)
	return row.place(caller), row.onlyFolder.record(), row.itemWithTip.record(), row.onlyVersion.record(), orAbsent(err, "version")
}

// ListVersions implements storage.VersionStore. The cursor is the number of the
// last version.
func (s *Store) ListVersions(ctx context.Context, projectID, itemID string, query storage.VersionQuery, page storage.DataPage) ([]storage.Version, string, error) {
	span, err := spanOf(page)
	if err != nil {
		return nil, "", err
	}
	f := newFilter()
	f.add("i.uid = " + f.bind(itemID))
	f.add("i.project_id = (SELECT id FROM projects WHERE uid = " + f.bind(projectID) + ")")
	f.numbers("v.number", query.Numbers)
	f.text("v.extension_type", query.ExtensionTypes)
	f.data("v.extension_data", query.Data)
	order, sign := " DESC", "<"
	if query.Ascending {
		order, sign = "", ">"
	}
	if span.after != "" {
		number, err := parseNumber(span.after)
		if err != nil {
			return nil, "", err
		}
		f.add("v.number " + sign + " " + f.bind(number))
	}
	if f.err != nil {
		return nil, "", f.err
	}
	var rows []onlyVersion
	text := "SELECT " + versionColumns("v", "o", "version") + "\nFROM items i JOIN versions v ON v.item_id = i.id" + joinObject +
		f.clause() + "\nORDER BY v.number" + order + f.limitClause(span)
	if err := s.reader.list(ctx, &rows, text, f.args); err != nil {
		return nil, "", asFault(err)
	}
	rows, next := cutPage(rows, span.limit, func(r onlyVersion) string { return strconv.Itoa(r.Version.Number) })
	return records(rows, onlyVersion.record), next, nil
}
