package tree

import (
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// walk goes through the subtree in its order. Each step looks at so many items
// at most, and says where it ended, so that the budget is kept whatever is met.
// The first one is always finished, so that every page comes nearer to the end.
func (q *search) walk() (string, error) {
	at, pace := q.from, newPace(q.soon)
	for size := pace.size; ; {
		rows, then, more, err := q.step(at, size)
		if q.reading.TooLate(err) {
			return q.stop(at)
		}
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			if row.Hit && q.add(row) {
				return q.cut(), nil
			}
		}
		if !more {
			return q.cut(), nil
		}
		at = then
		if size = pace.next(); size == 0 {
			return q.stop(at)
		}
		if err := q.reading.Hurry(q.soon, ambient.Left(q.soon)); err != nil {
			return "", err
		}
	}
}

// stop ends a walk whose budget is spent: the page is short.
func (q *search) stop(at position) (string, error) {
	switch {
	case q.pass > 0:
		return "", tooFar()
	case len(q.found) > q.limit:
		return q.cut(), nil
	}
	return at.cursor(), nil
}

// step looks at the next items behind a position, in one folder when the
// position lies in it, else in the next folders. It returns the hits, where it
// ended, and whether anything may follow.
func (q *search) step(at position, size int) (rows []searchRow, then position, more bool, err error) {
	to, more := at.path, true
	if !at.inside {
		if to, more, err = q.folders(at.path, size); err != nil {
			return nil, at, false, err
		}
	}
	text, f := q.stepQuery(at, to, size)
	if err := q.reading.List(&rows, text, f.Args); err != nil {
		return nil, at, false, err
	}
	if n := len(rows); n > 0 && rows[n-1].Scanned == size {
		return rows, rows[n-1].position(), true, nil
	}
	return rows, position{path: to}, more, nil
}

// folders returns the last of the next visible folders, and whether others
// follow it.
func (q *search) folders(after string, size int) (string, bool, error) {
	var paths []string
	err := q.reading.List(&paths, `
SELECT fp.path FROM folder_paths fp
WHERE fp.path > :after AND fp.path >= :top AND fp.path < :end AND fp.visible
ORDER BY fp.path LIMIT 1 OFFSET :skip`,
		engine.Args{"after": after, "top": q.folder.Path, "end": pathEnd(q.folder.Path), "skip": size - 1})
	if err != nil || len(paths) > 0 {
		return first(paths), true, err
	}
	return pathEnd(q.folder.Path), false, nil
}

func first(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

// stepQuery selects the hits among the next items, and the last item besides,
// whether it is one or not.
func (q *search) stepQuery(at position, to string, size int) (string, *engine.Filter) {
	f := engine.NewFilter()
	inside := f.Another()
	inside.Add("i.folder_id = fp.folder_id AND NOT i.hidden")
	if at.inside {
		inside.Add("(i.name_key, i.id) > (" + f.Bind(at.key) + ", " + f.Bind(at.id) + ")")
		f.Add("fp.path = " + f.Bind(at.path))
	} else {
		f.Add("fp.path > " + f.Bind(at.path) + " AND fp.path >= " + f.Bind(q.folder.Path) + " AND fp.path <= " + f.Bind(to))
	}
	f.Add("fp.visible")
	limit := f.Bind(size)
	items := q.reading.FirstOfEach(f, inside, "i.id, i.name_key", "items", "i", "\nORDER BY i.name_key, i.id LIMIT "+limit)
	scan := "SELECT fp.path AS path, i.id AS id, i.name_key AS name_key FROM folder_paths fp" + items + f.Clause() +
		"\nORDER BY fp.path, i.name_key, i.id LIMIT " + limit
	hits := f.Another()
	q.conditions(hits)
	hit := "true"
	if where := hits.Clause(); where != "" {
		hit = where[len("\nWHERE "):]
	}
	return "WITH scan AS (" + scan + `)
SELECT scan.path AS path, ` + hit + ` AS hit, (SELECT count(*) FROM scan) AS scanned, ` + q.columns(f) + `
FROM scan CROSS JOIN items i CROSS JOIN folders f` + joinTip + `
WHERE i.id = scan.id AND f.id = i.folder_id
	AND (` + hit + ` OR scan.id = (SELECT s.id FROM scan s ORDER BY s.path DESC, s.name_key DESC, s.id DESC LIMIT 1))
ORDER BY scan.path, scan.name_key, scan.id`, f
}
