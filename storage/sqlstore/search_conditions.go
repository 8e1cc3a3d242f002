package sqlstore

import (
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
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

// checkSearch refuses what makes no sense before anything is asked.
func checkSearch(query storage.SearchQuery) error {
	q := search{query: query}
	f := newFilter()
	q.conditions(f)
	return f.err
}

// conditions adds everything that is wanted of version v of item i.
func (q *search) conditions(f *filter) {
	if q.query.ByID {
		f.add(f.namedTips(q.query.IDs))
	}
	for _, field := range sortedFields() {
		for _, c := range q.query.Texts[field] {
			f.searchText(field, c)
		}
		f.numbers(searchColumn(field), q.query.Numbers[field])
		f.times(searchColumn(field), q.query.Times[field])
	}
}

// namedTips keeps items i that are named, or whose tip is.
func (f *filter) namedTips(refs []storage.VersionRef) string {
	all := []string{"1 = 0"}
	for _, ref := range refs {
		condition := "i.uid = " + f.bind(ref.ItemID)
		if ref.Number > 0 {
			condition += " AND i.tip = " + f.bind(ref.Number)
		}
		all = append(all, "("+condition+")")
	}
	return "(" + strings.Join(all, " OR ") + ")"
}

// searchText keeps rows by a text.
func (f *filter) searchText(field storage.SearchField, c storage.TextCondition) {
	if len(c.Values) == 0 {
		f.add("1 = 0")
		return
	}
	all := make([]string, len(c.Values))
	for i, value := range c.Values {
		all[i] = f.searchOne(field, c.Op, value)
	}
	f.add("(" + strings.Join(all, " OR ") + ")")
}

func (f *filter) searchOne(field storage.SearchField, op storage.Op, value string) string {
	column := searchColumn(field)
	switch field {
	case storage.SearchCreatedByName, storage.SearchModifiedByName:
		return f.namedPerson(column, op, value)
	case storage.SearchName:
		if op == storage.OpIContains {
			return f.compare("v.name_key", storage.OpContains, textkey.Fold(value))
		}
	}
	return f.compareText(column, op, value)
}

// compareText is compare for texts. What begins with a text is a range, which
// an index finds on either engine.
func (f *filter) compareText(column string, op storage.Op, value string) string {
	switch op {
	case storage.OpStarts:
		if end, ok := prefixEnd(value); ok {
			return "(" + column + " >= " + f.bind(value) + " AND " + column + " < " + f.bind(end) + ")"
		}
	case storage.OpIContains:
		return f.compare("lower("+column+")", storage.OpContains, strings.ToLower(value))
	}
	return f.compare(column, op, value)
}

// prefixEnd returns the first text behind all that begin with the prefix, false
// when there is none.
func prefixEnd(prefix string) (string, bool) {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		switch {
		case last == utf8.RuneError || last == utf8.MaxRune:
			continue
		case last == 0xD7FF: // what follows stands for halves of characters
			return prefix + "\uE000", true
		}
		return prefix + string(last+1), true
	}
	return "", false
}

// namedPerson keeps rows whose column has the id of somebody with the name.
func (f *filter) namedPerson(column string, op storage.Op, value string) string {
	person := f.compareText("coalesce(nullif({user_name}, ''), u.username, '')", op, value)
	machine := f.compareText("sa.name", op, value)
	nobody := "1 = 0"
	if op == storage.OpLess || op == storage.OpAtMost { // whoever is unknown has an empty name
		nobody = "NOT EXISTS (SELECT 1 FROM users u WHERE u.id = " + column + ") AND NOT EXISTS (SELECT 1 FROM service_accounts sa WHERE sa.id = " + column + ")"
	}
	return "(EXISTS (SELECT 1 FROM users u WHERE u.id = " + column + " AND " + person + ")" +
		" OR EXISTS (SELECT 1 FROM service_accounts sa WHERE sa.id = " + column + " AND " + machine + ") OR " + nobody + ")"
}

// indexed returns the conditions that an index finds, each as a query for item
// ids and numbers of versions.
func (q *search) indexed() []indexed {
	var all []indexed
	if q.query.ByID {
		all = append(all, func(f *filter) string {
			uids := make([]string, len(q.query.IDs))
			for i, ref := range q.query.IDs {
				uids[i] = ref.ItemID
			}
			return "SELECT i.id AS item_id, i.tip AS number FROM items i WHERE " + f.among("i.uid", uids)
		})
	}
	for _, field := range sortedFields() {
		if !hasIndex(field) {
			continue
		}
		for _, c := range q.query.Texts[field] {
			if findable(c.Op) {
				all = append(all, q.indexedBy(func(f *filter) { f.searchText(field, c) }))
			}
		}
		for _, c := range q.query.Times[field] {
			all = append(all, q.indexedBy(func(f *filter) { f.times(searchColumn(field), []storage.TimeCondition{c}) }))
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

func (q *search) indexedBy(condition func(*filter)) indexed {
	return func(f *filter) string {
		own := filter{args: f.args}
		condition(&own)
		own.add("v.project_id = " + f.bind(q.project.ID))
		return "SELECT v.item_id, v.number FROM versions v" + own.clause()
	}
}
