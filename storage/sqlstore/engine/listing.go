package engine

import (
	"context"
	"slices"

	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

// maxSearchKey keeps a key within what an index of PostgreSQL takes.
const maxSearchKey = 1200 // bytes

// SearchKey is what a column search_key has of a record: what it is called,
// which is what lists are in the order of, and what else it is found by.
func SearchKey(name string, more ...string) string {
	key := textkey.Search(name)
	for _, text := range more {
		if text = textkey.Search(text); text != "" && text != key {
			key += "\n" + text
		}
	}
	if key == "" {
		return "\n" // an empty one is missing: see FitKeys
	}
	return cut(key, maxSearchKey)
}

// cut ends a text after so many bytes, between two characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	last := 0
	for i := range text {
		if i > most {
			break
		}
		last = i
	}
	return text[:last]
}

// Finds returns the condition that a row's id is the text, or that its search_key
// has it.
func (f *Filter) Finds(text string) string {
	return "(" + f.Compare("search_key", storage.OpContains, textkey.Search(text)) + " OR id = " + f.Bind(text) + ")"
}

// Is keeps rows whose column is so, unless nothing is asked.
func (f *Filter) Is(column string, value *bool) {
	if value != nil {
		f.Add(column + " = " + f.Bind(*value))
	}
}

// listed is a row's place in a list.
type listed struct{ ID, SearchKey string }

func (r listed) cursor() string { return NameCursor(r.ID, r.SearchKey) }

// ListByName returns the ids of a page of a table with a search_key, in its order.
func ListByName(ctx context.Context, db *DB, table string, f *Filter,
	page storage.PageRequest) (storage.Listing[string], error) {
	list := storage.Listing[string]{Rows: []string{}} // none, where nil is no matter which: see Filter.In
	limit, err := PageLimit(page)
	if err != nil {
		return list, err
	}
	if err := db.Get(ctx, &list.Total, "\nSELECT count(*) FROM "+table+f.Clause(), f.Args); err != nil {
		return list, AsFault(err)
	}
	order, err := f.pass(page)
	if err != nil {
		return list, err
	}
	rows, err := Filtered[listed](ctx, db, "\nSELECT id, search_key FROM "+table+f.Clause()+order+
		" LIMIT "+f.Bind(limit+1), f)
	if err != nil || len(rows) == 0 {
		return list, err
	}
	more := len(rows) > limit
	rows = rows[:min(limit, len(rows))]
	back := page.After == "" && page.Before != ""
	if back {
		slices.Reverse(rows)
	}
	if back || more {
		list.Next = rows[len(rows)-1].cursor()
	}
	if page.After != "" || back && more {
		list.Previous = rows[0].cursor()
	}
	list.Rows = Records(rows, func(r listed) string { return r.ID })
	return list, nil
}

// pass keeps rows behind the cursor of the page, and returns the order in which
// they follow it.
func (f *Filter) pass(page storage.PageRequest) (string, error) {
	cursor, behind, order := page.After, ">", "\nORDER BY search_key, id"
	if cursor == "" && page.Before != "" {
		cursor, behind, order = page.Before, "<", "\nORDER BY search_key DESC, id DESC"
	}
	if cursor == "" {
		return order, nil
	}
	id, key, err := SplitNameCursor(cursor)
	if err != nil {
		return "", err
	}
	f.Add("(search_key, id) " + behind + " (" + f.Bind(key) + ", " + f.Bind(id) + ")")
	return order, nil
}

// Listed puts the records of a page, which came in any order, into the order of
// their ids. What went meanwhile is passed over.
func Listed[T any](ids storage.Listing[string], records []T, id func(T) string) storage.Listing[T] {
	byID := make(map[string]T, len(records))
	for _, r := range records {
		byID[id(r)] = r
	}
	list := storage.Listing[T]{Total: ids.Total, Previous: ids.Previous, Next: ids.Next}
	for _, i := range ids.Rows {
		if r, there := byID[i]; there {
			list.Rows = append(list.Rows, r)
		}
	}
	return list
}

// FitKeys gives rows of a table that have no search_key, as they were made before there
// were any or by a server of the release before, the one that a record makes, limit in
// one transaction, and returns how many. It goes on behind those of the last transaction:
// in the index PostgreSQL would have to step over what all of them were before.
func FitKeys[T any](ctx context.Context, db *DB, table, columns string, limit int,
	key func(T) (id, searchKey string)) (int, error) {
	fitted, after := 0, ""
	for {
		rows, err := All[T](ctx, db, "\nSELECT "+columns+" FROM "+table+
			" WHERE search_key = '' AND id > :after ORDER BY id LIMIT :limit", Args{"after": after, "limit": limit})
		if err != nil || len(rows) == 0 {
			return fitted, err
		}
		keys := make([][]any, len(rows))
		for i, r := range rows {
			id, searchKey := key(r)
			keys[i], after = []any{id, searchKey}, id
		}
		err = db.Write(ctx, func(t Tx) error {
			return t.ExecRows(ctx, "\nWITH n (id, search_key) AS (%s)\nUPDATE "+table+
				" SET search_key = n.search_key FROM n WHERE "+table+".id = n.id", keys)
		})
		if err != nil {
			return fitted, err
		}
		fitted += len(rows)
	}
}
