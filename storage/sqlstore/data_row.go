package sqlstore

import (
	"strings"

	"github.com/portico-id/portico/storage"
)

type extensionRow struct {
	Type    string `db:"extension_type"`
	Version string `db:"extension_version"`
	Data    string `db:"extension_data"`
}

func newExtensionRow(e storage.Extension) extensionRow { return extensionRow(e) }

func (r extensionRow) record() storage.Extension { return storage.Extension(r) }

type stampRow struct {
	CreatedAt  instant `db:"created_at"`
	CreatedBy  string  `db:"created_by"`
	ModifiedAt instant `db:"modified_at"`
	ModifiedBy string  `db:"modified_by"`
}

// newStamp is the stamp of what a change creates.
func newStamp(change storage.Change) stampRow {
	return stampRow{
		CreatedAt: at(change.At), CreatedBy: change.Caller.UserID,
		ModifiedAt: at(change.At), ModifiedBy: change.Caller.UserID,
	}
}

func (r stampRow) record() storage.Stamp {
	return storage.Stamp{
		CreatedAt: r.CreatedAt.Time, CreatedBy: r.CreatedBy,
		ModifiedAt: r.ModifiedAt.Time, ModifiedBy: r.ModifiedBy,
	}
}

// inTable returns the columns as those of a table: a.x.
func inTable(table, columns string) string {
	var all []string
	for column := range strings.SplitSeq(columns, ",") {
		all = append(all, table+"."+strings.TrimSpace(column))
	}
	return strings.Join(all, ", ")
}

// prefixed returns a table's columns as sqlx reads them into the field of a row
// with that name: a.x AS "name.x".
func prefixed(table, name, columns string) string {
	var all []string
	for column := range strings.SplitSeq(columns, ",") {
		column = strings.TrimSpace(column)
		all = append(all, table+"."+column+` AS "`+name+"."+column+`"`)
	}
	return strings.Join(all, ", ")
}
