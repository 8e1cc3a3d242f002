package tree

import (
	"context"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// fewTips is up to how many matches of one indexed condition are looked up and
// sorted; with more the tree is walked, which meets them soon.
const fewTips = 2000

// searchRow is a tip with the path of its folder.
type searchRow struct {
	itemWithTip
	Path    string
	Hit     bool
	Scanned int
}

func (r searchRow) position() position { return position{r.Path, true, r.Item.NameKey, r.Item.Key} }

// search is a search under way. There are three ways through a subtree:
//
//   - where an indexed condition has few matches in the project, they are looked
//     up, and then it is seen which of them lie in the subtree;
//   - else the subtree is walked in its order until the page is full;
//   - and the budget ends a walk in which nothing is met, but for its first step,
//     which is small.
type search struct {
	query   storage.SearchQuery
	project hubs.ProjectRow
	folder  spot
	from    position
	pass    int // how many come before the page
	limit   int
	found   []searchRow
	reading *engine.Reading
	soon    context.Context // ends with the budget
}

// position is a place in the order of the tree.
type position struct {
	path   string // of a folder; "": before everything
	inside bool   // behind an item in the folder; else behind all of them
	key    string
	id     int64
}

func (p position) cursor() string {
	if !p.inside {
		return p.path
	}
	return p.path + ":" + engine.NameCursor(strconv.FormatInt(p.id, 10), p.key)
}

func parsePosition(cursor string) (position, error) {
	path, rest, inside := strings.Cut(cursor, ":")
	p := position{path: path, inside: inside}
	if !inside {
		return p, nil
	}
	id, key, err := engine.SplitNameCursor(rest)
	if err != nil {
		return p, err
	}
	p.key = key
	if p.id, err = strconv.ParseInt(id, 10, 64); err != nil {
		return p, engine.BadCursor()
	}
	return p, nil
}

// Search implements storage.SearchStore.
func (s *Tree) Search(ctx context.Context, projectID, folderID string, query storage.SearchQuery,
	page storage.DataPage) ([]storage.ItemWithTip, string, error) {
	span, err := engine.SpanOf(page)
	if err != nil {
		return nil, "", err
	}
	from, err := parsePosition(span.After)
	if err != nil {
		return nil, "", err
	}
	if err := checkSearch(query); err != nil {
		return nil, "", err
	}
	reading, err := s.db.BeginReading(ctx)
	if err != nil {
		return nil, "", engine.AsFault(err)
	}
	defer reading.Done()
	soon, cancel := context.WithTimeout(ctx, query.Budget) // now that no connection has to be waited for
	defer cancel()
	q := &search{query: query, from: from, pass: span.Offset, limit: span.Limit, reading: reading, soon: soon}
	next, err := q.find(projectID, folderID)
	if err != nil {
		return nil, "", engine.AsFault(err)
	}
	return engine.Records(q.found, searchRow.record), next, nil
}

const selectSearched = `
SELECT f.id, f.uid, fp.path, fp.visible FROM folders f JOIN folder_paths fp ON fp.folder_id = f.id
WHERE f.uid = :folder_uid AND f.project_id = :project_id`

// find fills found and returns where the next page begins.
func (q *search) find(projectID, folderID string) (string, error) {
	var projects []hubs.ProjectRow
	if err := q.reading.List(&projects, hubs.SelectProject, engine.Args{"id": projectID}); err != nil ||
		len(projects) == 0 {
		return "", err
	}
	q.project = projects[0]
	var folders []spot
	err := q.reading.List(&folders, selectSearched, engine.Args{"folder_uid": folderID, "project_id": q.project.ID})
	if err != nil || len(folders) == 0 || !folders[0].Visible {
		return "", err
	}
	q.folder = folders[0]
	few, err := q.fewest()
	if err != nil {
		return "", err
	}
	if few != nil {
		return q.lookUp(few)
	}
	return q.walk()
}

// add takes a hit, and reports whether the page is full.
func (q *search) add(row searchRow) bool {
	if q.query.Fits != nil && !q.query.Fits(row.record()) {
		return false
	}
	if q.pass > 0 {
		q.pass--
		return false
	}
	q.found = append(q.found, row)
	return len(q.found) > q.limit // one more, to know that something follows
}

// cut leaves the page, and returns its cursor.
func (q *search) cut() string {
	var next string
	q.found, next = engine.CutPage(q.found, q.limit, func(r searchRow) string { return r.position().cursor() })
	return next
}

// columns are those of a searchRow, of items i in folders f.
func (q *search) columns(f *engine.Filter) string {
	return wholeItem("cast("+f.Bind(q.project.UID)+" AS text)") + ", " + wholeVersion("v", "o", "tip")
}

// indexed makes the query for what a condition that an index finds matches:
// item ids and version numbers.
type indexed func(*engine.Filter) string

// fewest returns the indexed condition with the fewest matches in the project,
// nil when all have many.
func (q *search) fewest() (indexed, error) {
	var best indexed
	least := fewTips + 1
	for _, one := range q.indexed() {
		f := engine.NewFilter()
		var counts []int
		err := q.reading.List(&counts, "SELECT count(*) FROM ("+one(f)+" LIMIT "+f.Bind(least)+") c", f.Args)
		if err != nil {
			return nil, err
		}
		if counts[0] < least {
			least, best = counts[0], one
		}
	}
	return best, nil
}

// lookUp goes through the few.
func (q *search) lookUp(few indexed) (string, error) {
	text, f := q.lookUpQuery(few)
	var rows []searchRow
	if err := q.reading.List(&rows, text, f.Args); err != nil {
		return "", err
	}
	for _, row := range rows {
		if q.add(row) {
			break
		}
	}
	return q.cut(), nil
}

func (q *search) lookUpQuery(few indexed) (string, *engine.Filter) {
	f := engine.NewFilter()
	driver := few(f)
	f.Add("i.id = d.item_id AND i.tip = d.number AND fp.folder_id = i.folder_id AND f.id = i.folder_id")
	q.within(f)
	q.conditions(f)
	switch {
	case q.from.inside:
		f.Add("(fp.path, i.name_key, i.id) > (" + f.Bind(q.from.path) + ", " + f.Bind(q.from.key) + ", " +
			f.Bind(q.from.id) + ")")
	case q.from.path != "":
		f.Add("fp.path > " + f.Bind(q.from.path))
	}
	// CROSS JOIN keeps SQLite from beginning elsewhere.
	text := "SELECT fp.path AS path, " + q.columns(f) + "\nFROM (" + driver + " LIMIT " + f.Bind(fewTips+1) +
		") d CROSS JOIN items i CROSS JOIN folder_paths fp CROSS JOIN folders f" + joinTip + f.Clause() +
		"\nORDER BY fp.path, i.name_key, i.id"
	if q.query.Fits == nil {
		text += " LIMIT " + f.Bind(q.pass+q.limit+1)
	}
	return text, f
}

// within keeps what is visible in the subtree.
func (q *search) within(f *engine.Filter) {
	f.Add("fp.path >= " + f.Bind(q.folder.Path) + " AND fp.path < " + f.Bind(pathEnd(q.folder.Path)))
	f.Add("fp.visible AND NOT i.hidden")
}

func tooFar() error {
	return fault.New(fault.Invalid, storage.ReasonPageBehind,
		"The pages before this one could not be looked through in time: follow links.next from one to the other.")
}

// checkSearch refuses what makes no sense before anything is asked.
func checkSearch(query storage.SearchQuery) error {
	q := search{query: query}
	f := engine.NewFilter()
	q.conditions(f)
	return f.Err
}
