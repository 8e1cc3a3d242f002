package tree

import (
	"context"
	"reflect"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// readAgain reads a page, unless it is still as it was.
func (l *listing) readAgain(ctx context.Context, page storage.DataPage) (storage.Contents, error) {
	kept := &l.store.kept
	key, plain := l.asKept(page)
	if !plain {
		return l.read(ctx)
	}
	if was, known := kept.find(key); known {
		still, err := l.still(ctx, was.marks)
		if still || err != nil {
			return was.contents, err
		}
	}
	contents, err := l.read(ctx)
	if err == nil {
		kept.keep(key, keptPage{l.marks, contents})
	}
	return contents, err
}

// asKept is what a listing asks for, and whether that is no more than a page in some order.
func (l *listing) asKept(page storage.DataPage) (pageKey, bool) {
	q := l.query
	plain := storage.ContentsQuery{Hidden: q.Hidden, Descending: q.Descending, Newest: q.Newest}
	return pageKey{l.projectID, l.folderID, q.Hidden, q.Descending, q.Newest, page},
		page.Number == 0 && reflect.DeepEqual(q, plain)
}

// still reports whether all rows of a page have the marks that they had.
func (l listing) still(ctx context.Context, was marks) (bool, error) {
	if was.folders.room > 0 {
		text, f := l.folderMarks(was.folders.room)
		if still, err := l.alike(ctx, text, f, was.folders); !still {
			return false, err
		}
	}
	if was.items.room == 0 {
		return true, nil
	}
	l.started = l.started && l.inItems
	text, f := l.itemMarks(was.items.room)
	return l.alike(ctx, text, f, was.items)
}

func (l listing) alike(ctx context.Context, text string, f *engine.Filter, was mark) (bool, error) {
	var now string
	err := l.store.db.Get(ctx, &now, text, f.Args)
	return now == was.text, err
}

func (l listing) folderMarks(room int) (string, *engine.Filter) {
	text, f := l.folderQuery(room, folderMark+` AS mark`)
	return joined(text), f
}

func (l listing) itemMarks(room int) (string, *engine.Filter) {
	text, f := l.itemQuery(room, itemMark+` AS mark`, joinVersion)
	return joined(text), f
}

// joined is the query for the marks of all rows of one.
func joined(query string) string {
	return "SELECT coalesce(string_agg(mark || '\n', ''), '') FROM (" + query + ") marks"
}
