package tree

import (
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// searchColumn is where a field lies in version v.
func searchColumn(field storage.SearchField) string {
	return map[storage.SearchField]string{
		storage.SearchName: "v.name", storage.SearchMimeType: "v.mime_type", storage.SearchFileType: "v.file_type",
		storage.SearchExtensionType: "v.extension_type", storage.SearchExtensionVersion: "v.extension_version",
		storage.SearchCreatedBy: "v.created_by", storage.SearchModifiedBy: "v.modified_by",
		storage.SearchCreatedByName: "v.created_by", storage.SearchModifiedByName: "v.modified_by",
		storage.SearchNumber: "v.number", storage.SearchSize: "v.size",
		storage.SearchCreated: "v.created_at", storage.SearchModified: "v.modified_at",
	}[field]
}

// hasIndex says which fields an index finds within a project.
func hasIndex(field storage.SearchField) bool {
	switch field {
	case storage.SearchName, storage.SearchMimeType, storage.SearchFileType, storage.SearchCreated:
		return true
	}
	return false
}

// sortedFields are the fields, in one order.
func sortedFields() []storage.SearchField {
	return []storage.SearchField{
		storage.SearchName, storage.SearchMimeType, storage.SearchFileType, storage.SearchExtensionType,
		storage.SearchExtensionVersion, storage.SearchCreatedBy, storage.SearchCreatedByName, storage.SearchModifiedBy,
		storage.SearchModifiedByName, storage.SearchNumber, storage.SearchSize, storage.SearchCreated, storage.SearchModified,
	}
}

// conditions adds everything that is wanted of version v of item i.
func (q *search) conditions(f *engine.Filter) {
	if q.query.ByID {
		f.Add(namedTips(f, q.query.IDs))
	}
	for _, field := range sortedFields() {
		for _, c := range q.query.Texts[field] {
			searchText(f, field, c)
		}
		f.Numbers(searchColumn(field), q.query.Numbers[field])
		f.Times(searchColumn(field), q.query.Times[field])
	}
}

// namedTips keeps items i that are named, or whose tip is.
func namedTips(f *engine.Filter, refs []storage.VersionRef) string {
	all := []string{"1 = 0"}
	for _, ref := range refs {
		condition := "i.uid = " + f.Bind(ref.ItemID)
		if ref.Number > 0 {
			condition += " AND i.tip = " + f.Bind(ref.Number)
		}
		all = append(all, "("+condition+")")
	}
	return "(" + strings.Join(all, " OR ") + ")"
}

// searchText keeps rows by a text.
func searchText(f *engine.Filter, field storage.SearchField, c storage.TextCondition) {
	if len(c.Values) == 0 {
		f.Add("1 = 0")
		return
	}
	column := searchColumn(field)
	switch {
	case field == storage.SearchCreatedByName, field == storage.SearchModifiedByName:
		f.Add(namedPerson(f, column, c))
	case field == storage.SearchName && c.Op == storage.OpIContains:
		f.Add(anyOf(c, func(value string) string {
			return f.Compare("v.name_key", storage.OpContains, textkey.Fold(value))
		}))
	default:
		f.Add(comparesAny(f, column, c))
	}
}

// anyOf holds where the comparison with one of the values does.
func anyOf(c storage.TextCondition, compare func(value string) string) string {
	all := make([]string, len(c.Values))
	for i, value := range c.Values {
		all[i] = compare(value)
	}
	return "(" + strings.Join(all, " OR ") + ")"
}

func comparesAny(f *engine.Filter, text string, c storage.TextCondition) string {
	return anyOf(c, func(value string) string { return f.CompareText(text, c.Op, value) })
}

// namedPerson keeps rows whose column has the id of somebody with one of the names. Who
// that is is looked up once for all of them.
func namedPerson(f *engine.Filter, column string, c storage.TextCondition) string {
	person := comparesAny(f, "coalesce(nullif({user_name}, ''), u.username, '')", c)
	machine := comparesAny(f, "sa.name", c)
	nobody := "1 = 0"
	former := func(value string) bool {
		return strings.Contains(textkey.Fold(storage.FormerMember), textkey.Fold(value))
	}
	if c.Op == storage.OpLess || c.Op == storage.OpAtMost || slices.ContainsFunc(c.Values, former) {
		// Ids of people have 16 letters.
		nobody = comparesAny(f, "CASE WHEN length("+column+") = 16 THEN '"+storage.FormerMember+"' ELSE '' END", c) +
			" AND NOT EXISTS (SELECT 1 FROM users u WHERE u.id = " + column +
			") AND NOT EXISTS (SELECT 1 FROM service_accounts sa WHERE sa.id = " + column + ")"
	}
	return "(EXISTS (SELECT 1 FROM users u WHERE u.id = " + column + " AND " + person + ")" +
		" OR EXISTS (SELECT 1 FROM service_accounts sa WHERE sa.id = " + column + " AND " + machine + ") OR " + nobody + ")"
}

// indexed returns the conditions that an index finds, each as a query for item
// ids and numbers of versions.
func (q *search) indexed() []indexed {
	var all []indexed
	if q.query.ByID {
		all = append(all, func(f *engine.Filter) string {
			uids := make([]string, len(q.query.IDs))
			for i, ref := range q.query.IDs {
				uids[i] = ref.ItemID
			}
			return "SELECT i.id AS item_id, i.tip AS number FROM items i WHERE " + f.Among("i.uid", uids)
		})
	}
	for _, field := range sortedFields() {
		if !hasIndex(field) {
			continue
		}
		for _, c := range q.query.Texts[field] {
			if findable(c.Op) {
				all = append(all, q.indexedBy(func(f *engine.Filter) { searchText(f, field, c) }))
			}
		}
		for _, c := range q.query.Times[field] {
			all = append(all, q.indexedBy(func(f *engine.Filter) { f.Times(searchColumn(field), []storage.TimeCondition{c}) }))
		}
	}
	return all
}

// findable reports whether an index finds what compares so.
func findable(op storage.Op) bool {
	switch op {
	case storage.OpEnds, storage.OpContains, storage.OpIContains:
		return false
	}
	return true
}

func (q *search) indexedBy(condition func(*engine.Filter)) indexed {
	return func(f *engine.Filter) string {
		own := f.Another()
		condition(own)
		own.Add("v.project_id = " + f.Bind(q.project.ID))
		return "SELECT v.item_id, v.number FROM versions v" + own.Clause()
	}
}
